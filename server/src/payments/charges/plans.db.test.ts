import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createTestDatabase } from "../../../test/database.ts";
import { noDetails } from "../../acquiring/outcome.ts";
import { scanCustomers, searchCustomers } from "../../cards/customers/customer.sql.ts";
import { newId, uuidOf } from "../../core/ids.ts";
import { connectDatabase, type Database } from "../../platform/database/database.ts";
import { pinnedPlans } from "../../platform/database/pinned-plans.ts";
import { bindTag, fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { highest, lowest } from "../../platform/http/list.ts";
import { claimDue } from "../../platform/jobs/claim-due.sql.ts";
import { commitTransitions } from "../commit/commit-transitions.sql.ts";
import { dueCharges } from "../commit/due-work.sql.ts";
import { insertCharges } from "../commit/intents.sql.ts";
import { newOpenSession } from "../sessions/checkout-session.fixture.ts";
import { createClientSecrets } from "../sessions/client-secret.ts";
import { chargeAfterResponse } from "./apply-response.ts";
import { processingCharge } from "./charge.fixture.ts";
import { readCharges } from "./charge.sql.ts";
import { countListed, countListedIn, findChargesByIdEnd } from "./charge-list.sql.ts";
import { chargeTransition } from "./charge-transition.ts";
import { findCharges } from "./find-charges.ts";

/*
 * The statements that every charge executes take arrays as parameters. The planner guesses the array sizes wrongly, and
 * the error grows with the tables. The planner must never choose to scan a whole table or index for a batch. It tends
 * to choose such a scan if the statistics say that an index is nearly empty, such as the index of pending charges.
 */
const testDatabase = await createTestDatabase();
const database = connectDatabase({ url: testDatabase.url, poolSize: 2, onIdleError: () => {} });
const now = new Date("2026-05-15T12:00:00Z");
const scope = { account: newId("acct", now), livemode: false };

await fillTables();
const client = await database.connect(pinnedPlans);
/** A connection with the planner settings that reads use. */
const reader = await database.connect();
after(async () => {
  await client.end();
  await reader.end();
  await database.close();
  await testDatabase.drop();
});

/** Inserts enough rows that the planner's choice matters, and updates the statistics. */
async function fillTables(): Promise<void> {
  const account = uuidOf(scope.account);
  await database.transaction(async (tx) => {
    await tx`insert into accounts (id, name) values (${account}, 'Fieldware')`;
    await tx`
      insert into charges (account_id, livemode, id, status, amount, currency, capture_method, processor,
                           payment_method_id, card, decision_outcome, risk_score, claimed_by, finalized_at)
      select ${account}, false, gen_random_uuid(), 'canceled', 1999, 'usd', 'automatic', 'simulator',
             gen_random_uuid(), '{}', 'approve', 10, 1, now()
        from generate_series(1, 20000)`;
    await tx`
      insert into idempotency_keys (account_id, livemode, key, fingerprint)
      select ${account}, false, n::text, '\\x00' from generate_series(1, 20000) n`;
    await tx`
      insert into checkout_sessions (account_id, livemode, id, status, payment_status, amount, currency,
                                     capture_method, details, expires_at, max_attempts)
      select ${account}, false, gen_random_uuid(), 'complete', 'paid', 1999, 'usd', 'automatic', '{}', now(), 5
        from generate_series(1, 20000)`;
    await tx`
      insert into events (account_id, livemode, id, type, object_id, body)
      select ${account}, false, gen_random_uuid(), 'ping', gen_random_uuid(), '{}' from generate_series(1, 20000)`;
    await tx`
      insert into customers (account_id, livemode, id, name)
      select ${account}, false, gen_random_uuid(), 'Ada Smith' || n from generate_series(1, 20000) n`;
    await tx`
      insert into webhook_endpoints (account_id, livemode, id, url, enabled_events, secret)
      select ${account}, false, gen_random_uuid(), 'https://a', '{*}', '\\x00' from generate_series(1, 5000)`;
  });
  for (const table of [
    "charges",
    "idempotency_keys",
    "checkout_sessions",
    "customers",
    "events",
    "webhook_endpoints",
  ]) {
    const connection = await database.connect();
    await connection.query(`analyze ${table}`);
    await connection.end();
  }
}

type Plan = {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly Plans?: readonly Plan[];
};

/**
 * Returns the query plan of the only statement that `write` sends, without executing it. Postgres executes a prepared
 * statement with a plan for its parameters (custom) or for any parameters (generic), whichever it estimates to be
 * cheaper.
 */
async function planOf(
  write: (tx: Tx) => Promise<unknown>,
  mode: "custom" | "generic",
  connection = client,
): Promise<Plan[]> {
  let root: Plan | undefined;
  const explaining = bindTag({
    query: async ({ text, values }: { text: string; values: unknown[] }) => {
      const { rows } =
        mode === "custom"
          ? await connection.query(`explain (format json) ${text}`, values)
          : await connection.query(`explain (generic_plan, format json) ${text}`);
      root = rows[0]["QUERY PLAN"][0].Plan;
      return { rows: [] };
    },
  } as never);
  await write(explaining as Tx);
  assert.ok(root, "`write` sent no statement");
  return flatten(root);
}

function flatten(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(flatten)];
}

function assertIndexed(nodes: readonly Plan[], tables: readonly string[]): void {
  const scans = nodes.filter(({ "Node Type": type }) => / Scan$/.test(type) && type !== "CTE Scan");
  for (const { "Node Type": type, "Relation Name": table } of scans) {
    if (table) assert.match(type, /^Index (Only )?Scan$/, `${table} is read by a ${type}`);
  }
  for (const { "Index Name": index } of scans) {
    if (index) assert.match(index, /(_pkey|_by_id)$/, "a row is not found by its ID");
  }
  const read = new Set(scans.map((scan) => scan["Relation Name"]).filter(Boolean));
  for (const table of tables) assert.ok(read.has(table), `${table} is not read at all`);
}

const withSessions = Array.from({ length: 64 }, () =>
  processingCharge(scope, now, { checkoutSessionId: newId("cs", now) }),
);
const ofCards = Array.from({ length: 64 }, () =>
  processingCharge(scope, now, { paymentMethodId: newId("pm", now) }),
);
const withoutSessions = Array.from({ length: 64 }, () => processingCharge(scope, now, {}));

const clientSecrets = createClientSecrets({ test: Buffer.alloc(32), live: Buffer.alloc(32) });
const rendering = {
  links: { baseUrl: () => "https://pay.example", clientSecrets },
  random: () => 0,
};

test("a search for customers and charges scans no whole table or index", async () => {
  const page = { limit: 10, below: highest, from: lowest, upwards: false };
  const scansOf = async (send: (read: Sql) => Promise<unknown>) =>
    (await planOf((tx) => send(tx), "custom", reader))
      .filter(({ "Node Type": type }) => / Scan$/.test(type) && type !== "CTE Scan")
      .map((node) => node["Index Name"] ?? `${node["Node Type"]} of ${node["Relation Name"]}`);
  const found = await scansOf((read) => searchCustomers(read, scope, {}, ["smith77"], page));
  assert.ok(found.includes("customers_by_word"), String(found));
  const scanned = await scansOf((read) => scanCustomers(read, scope, {}, ["ada"], page, 2_000));
  assert.deepEqual(scanned, ["customers_pkey"]);
  const byEnd = await scansOf((read) => findChargesByIdEnd(read, scope, "0123456789", 5));
  assert.deepEqual(byEnd, ["charges_pkey"]);
  const conditions = { customersOfEmail: [] };
  const counted = await scansOf((read) => countListed(read, scope, conditions, page, 10_001));
  assert.deepEqual(counted, ["charges_pkey"]);
  for (const [status, index] of [
    ["disputed", "charges_disputed"],
    ["refunded", "charges_refunded"],
    ["partially_refunded", "charges_refunded"],
    ["in_review", "charges_in_review"],
  ] as const) {
    const rare = { ...conditions, displayStatuses: [status] };
    assert.deepEqual(await scansOf((read) => countListed(read, scope, rare, page, 100)), [index]);
    const found = await scansOf((read) =>
      findCharges(read, scope, { displayStatuses: [status] }, page),
    );
    assert.deepEqual(found, [index]);
  }
  const several = { ...conditions, displayStatuses: ["refunded", "disputed"] as const };
  const combined = await scansOf((read) => countListed(read, scope, several, page, 100));
  assert.deepEqual(combined.slice(1).toSorted(), ["charges_disputed", "charges_refunded"]);
  const ranges = [{ first: lowest, last: highest }];
  const filter = { ...conditions, last4: "4242" };
  const inBlocks = await scansOf((read) =>
    countListedIn(read, scope, ranges, filter, page, 10_001),
  );
  assert.ok(inBlocks.includes("charges_pkey"), String(inBlocks));
});

test("a claim finds the charges that it has locked by their id, although the statistics contain no due charge", async () => {
  const claim = (autocommit: Database["autocommit"]) =>
    claimDue({ database: { ...database, autocommit }, clock: { now: () => now } }, dueCharges(1), {
      columns: fragment`id`,
      leaseMs: 60_000,
      limit: 100,
    });
  const nodes = await planOf((tx) => claim(async (work) => work(tx)), "custom", reader);
  const types = nodes.map((node) => node["Index Name"] ?? node["Node Type"]);
  const scans = types.filter((type) => /^charges|^(Seq|Bitmap) /.test(type));
  assert.deepEqual(scans.toSorted(), ["charges_due", "charges_pkey"]);
  assert.ok(!types.includes("Sort"), "all due charges are sorted");
});

for (const mode of ["custom", "generic"] as const) {
  test(`a batch of 64 charges is read with index scans only (${mode} plan)`, async () => {
    assertIndexed(await planOf((read) => readCharges(read, withoutSessions), mode), ["charges"]);
  });

  for (const [charges, kind, sessionTable, cardTable] of [
    [withSessions, "charges of sessions", ["checkout_sessions"], []],
    [withoutSessions, "charges", [], []],
    [ofCards, "charges of saved cards", [], ["payment_methods"]],
  ] as const) {
    test(`a batch of 64 ${kind} is inserted with index scans only (${mode} plan)`, async () => {
      const newCharges = charges.map((charge, index) => ({
        charge,
        route: null,
        consent: null,
        idempotency: { key: `k${index}`, fingerprint: Buffer.alloc(32) },
        claimedBy: 1,
        dueAt: now,
      }));
      assertIndexed(await planOf((tx) => insertCharges(tx, newCharges), mode), [
        "idempotency_keys",
        ...sessionTable,
        ...cardTable,
      ]);
    });

    test(`a batch of 64 ${kind} is finalized with index scans only (${mode} plan)`, async () => {
      const approved = {
        kind: "approved",
        approvedMinor: 1999,
        details: { ...noDetails, networkTransactionId: "SIM-1" },
      } as const;
      const session = newOpenSession(scope, now);
      const transitions = charges.map((charge) =>
        chargeTransition(rendering, chargeAfterResponse(charge, approved, now), {
          session: charge.checkoutSessionId ? session : null,
          pricing: { basisPoints: 290, fixedMinor: 30 },
          now,
        }),
      );
      assertIndexed(await planOf((tx) => commitTransitions(tx, transitions, null), mode), [
        "charges",
        "idempotency_keys",
        "webhook_endpoints",
        ...sessionTable,
      ]);
    });
  }
}
