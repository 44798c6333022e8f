import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createTestDatabase } from "../../../test/database.ts";
import { newId, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { connectDatabase } from "../../platform/database/database.ts";
import { groupCommit } from "../../platform/database/group-commit.ts";
import { pinnedPlans } from "../../platform/database/pinned-plans.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { verificationTransitions } from "../card-verifications/card-verification.ts";
import { chargeTransitions } from "../charges/charge.ts";
import { disputeTransitions } from "../disputes/dispute.ts";
import { operationTransitions } from "../operations/operation.ts";
import { payoutTransitions } from "../payouts/payout.ts";
import { changes } from "./changes.ts";
import { commitTransition, commitTransitions } from "./commit-transitions.sql.ts";
import { insertObjects, now, single, stages } from "./every-transition.fixture.ts";
import type { Transition } from "./transition.ts";

/*
 * Commits every kind of transition in two ways: each in its own transaction, and in batches of one kind. Two merchants
 * have the same objects and receive the same transitions, with the same IDs and times, so their rows must be equal.
 */
const testDatabase = await createTestDatabase();
const database = connectDatabase({ url: testDatabase.url, poolSize: 4, onIdleError: () => {} });
after(async () => {
  await database.close();
  await testDatabase.drop();
});

await insertMerchant(single);
await commitOneByOne(single);

/** The tables that transitions write. */
const tables = [
  "charges",
  "operations",
  "disputes",
  "payouts",
  "settlements",
  "checkout_sessions",
  "card_verifications",
  "payment_methods",
  "ledger_transfers",
  "events",
  "webhook_deliveries",
  "idempotency_keys",
  "charge_search_late",
] as const;

test("a batch writes the same rows as single transitions, for every kind", async () => {
  const batched = await createMerchant();
  const results = await commitInBatches(batched, stages);
  assert.deepEqual(
    results.filter((result) => result.status !== "fulfilled" || !result.value),
    [],
  );
  for (const table of tables) {
    const rows = await rowsIn(table, single);
    assert.notEqual(rows.length, 0, `No transition writes ${table}.`);
    assert.deepEqual(await rowsIn(table, batched), rows, table);
  }
});

/** For each part of a transition, the tables that differ if a batch omits the part. */
const tablesOf = {
  charge: ["charges"],
  entries: ["ledger_transfers"],
  events: ["events", "webhook_deliveries"],
  session: ["checkout_sessions"],
  card: ["payment_methods"],
  response: ["idempotency_keys"],
  isLate: ["charge_search_late"],
} as const;

for (const [part, missing] of Object.entries(tablesOf)) {
  test(`the comparison detects a batch that omits ${part}`, async () => {
    const forgetful = await createMerchant();
    const without = stages.map((stage) =>
      stage.map((transition) => ({
        ...transition,
        [part]: undefined,
        ...(part === "events" &&
          transition.response && { response: { ...transition.response, isInEvent: false } }),
      })),
    );
    await commitInBatches(forgetful, without);
    for (const table of missing) {
      assert.notDeepEqual(await rowsIn(table, forgetful), await rowsIn(table, single), table);
    }
  });
}

test("the transitions cover every kind and reach every state", () => {
  const all = stages.flat();
  const kinds = new Set(all.map(({ change }) => change.kind));
  // The insert of a charge is not a transition, so `changes` does not contain it.
  assert.deepEqual([...kinds].sort(), Object.keys(changes).sort());
  const reached = (prefix: RegExp) =>
    new Set(
      all.flatMap(({ change }) =>
        prefix.test(change.kind) && "status" in change.row ? [change.row.status as string] : [],
      ),
    );
  assert.deepEqual([...reached(/^chargeOutcome/)].sort(), Object.keys(chargeTransitions).sort());
  const verified = [...reached(/^verificationOutcome/)].sort();
  assert.deepEqual(verified, Object.keys(verificationTransitions).sort());
  assert.deepEqual([...reached(/operation/i)].sort(), Object.keys(operationTransitions).sort());
  assert.deepEqual([...reached(/dispute/i)].sort(), Object.keys(disputeTransitions).sort());
  assert.deepEqual([...reached(/payout/i)].sort(), Object.keys(payoutTransitions).sort());
});

test("if a batch has two transitions of one object, it commits only the first and reports this", async () => {
  const merchant = await createMerchant();
  const [first] = stages[0] as [Transition<"chargeOutcome">];
  const row = { ...first.change.row, pending_reason: "acquirer_processing" };
  const second = { ...first, change: { ...first.change, row } };
  const pair = [first, second].map((one) => ({ ...one, scope: merchant }));
  const committed = await database.transaction((tx) => commitTransitions(tx, pair, null));
  assert.deepEqual(
    committed.map(({ recorded }) => recorded),
    [true, false],
  );
  const [stored] = await database.read<{ pending_reason: string }>`
    select pending_reason
      from charges
     where account_id = ${uuidOf(merchant.account)} and id = ${uuidOf(first.change.id)}`;
  assert.equal(stored?.pending_reason, first.change.row.pending_reason);
});

for (const path of ["one by one", "in a batch"]) {
  test(`a transition of an object that has changed in the meantime writes nothing (${path})`, async () => {
    const before = await Promise.all(tables.map((table) => rowsIn(table, single)));
    // Omits inserts, because they would violate the primary key. The other transitions were already committed and must
    // now write nothing.
    const late = stages.map((stage) => stage.filter(({ change }) => !/^new/.test(change.kind)));
    if (path === "in a batch") {
      const results = await commitInBatches(single, late);
      assert.ok(results.every((result) => result.status === "fulfilled" && !result.value));
    } else {
      for (const one of late.flat()) {
        const transition = { ...one, scope: single };
        assert.equal(await database.transaction((tx) => commitTransition(tx, transition)), false);
      }
    }
    assert.deepEqual(await Promise.all(tables.map((table) => rowsIn(table, single))), before);
  });
}

async function commitOneByOne(scope: Scope): Promise<void> {
  for (const transition of stages.flat()) {
    const recorded = await database.transaction((tx) =>
      commitTransition(tx, { ...transition, scope }),
    );
    assert.ok(recorded, `${transition.change.kind} is not written`);
  }
}

/** Commits each stage in one batch, as the service commits charges. Returns whether each transition was recorded. */
async function commitInBatches(
  scope: Scope,
  batches: readonly (readonly Transition[])[],
): Promise<PromiseSettledResult<boolean>[]> {
  const sizes: number[] = [];
  const commit = groupCommit({
    connect: () => database.connect(pinnedPlans),
    connections: 1,
    maxBatch: 64,
    maxQueue: 64,
    write(tx: Tx, transitions: Transition[]) {
      sizes.push(transitions.length);
      return commitTransitions(tx, transitions, null);
    },
  });
  const results: PromiseSettledResult<boolean>[] = [];
  for (const batch of batches) {
    sizes.length = 0;
    const committed = batch.map((one) =>
      commit({ ...one, scope }).then(({ recorded }) => recorded),
    );
    results.push(...(await Promise.allSettled(committed)));
    assert.equal(sizes[0] ?? 0, batch.length, "the stage is not one batch");
  }
  await commit.close();
  return results;
}

/** Returns the merchant's rows. Omits columns whose values differ between merchants or commits. */
async function rowsIn(table: (typeof tables)[number], { account }: Scope): Promise<string[]> {
  const client = await database.connect();
  const { rows } = await client.query(
    `select (to_jsonb(t) - 'account_id' - 'position' - 'created_at')::text as row
       from ${table} t where account_id = $1 order by 1`,
    [uuidOf(account)],
  );
  await client.end();
  return rows.map(({ row }) => row);
}

async function createMerchant(): Promise<Scope> {
  const scope: Scope = { account: newId("acct", now), livemode: false };
  await insertMerchant(scope);
  return scope;
}

function insertMerchant(scope: Scope): Promise<void> {
  return database.transaction((tx) => insertObjects(tx, scope));
}
