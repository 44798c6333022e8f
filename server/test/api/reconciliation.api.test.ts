import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { DifferenceKind, ReconciliationStatus } from "@florin/contract/reconciliation.ts";
import { newId, uuidOf } from "../../src/core/ids.ts";
import type { Tx } from "../../src/platform/database/sql.ts";
import { reconcileDay } from "../../src/reconciliation/reconcile-day.ts";
import { errorOf, type Merchant, startShop, until } from "../shop.ts";
import { day, hour, minute, second, skipEndOfDay } from "../test-clock.ts";

const shop = await startShop();
after(() => shop.close());
skipEndOfDay(shop.clock);

// Stops the clock at noon on the next day. Only the tests advance it.
shop.clock.stop();
shop.clock.advance(day - (shop.clock.now().getTime() % day) + day / 2);
const today = () => shop.clock.now().toISOString().slice(0, 10);
const toNoonTomorrow = () => shop.clock.advance(day - (shop.clock.now().getTime() % day) + day / 2);

const visa = { amount: 10_000, currency: "usd", payment_method_id: "pm_card_visa" };
type As = { as: Merchant["key"] };
const pay = async (sent: As, change = {}) =>
  (await shop.post("/charges", { ...visa, ...change }, sent)).body;
const reconcile = async (sent: As, on: string) =>
  (await shop.post("/reconciliations", { day: on }, sent)).body;
const differences = async (sent: As, query = "") =>
  (await shop.get(`/reconciliation_differences?limit=100${query}`, sent)).body.data;
/** Returns the kind and status of each difference, sorted. */
const reported = (list: { kind: DifferenceKind; status: ReconciliationStatus }[]) =>
  list.map(({ kind, status }) => `${kind} ${status}`).sort();
const writeDirectly = (write: (tx: Tx) => Promise<unknown>) => shop.app.database.transaction(write);

async function merchantWithActivity() {
  const merchant = await shop.createMerchant();
  const sent = { as: merchant.key };
  const charge = await pay(sent);
  const held = await pay(sent, { capture_method: "manual" });
  await shop.post(`/charges/${held.id}/capture`, { amount: 4_000 }, sent);
  const dropped = await pay(sent, { capture_method: "manual" });
  await shop.post(`/charges/${dropped.id}/cancel`, {}, sent);
  await pay(sent, { payment_method_id: "pm_card_visa_chargeDeclined" });
  const refund = (await shop.post("/refunds", { charge_id: charge.id, amount: 2_500 }, sent)).body;
  const disputed = await pay(sent, { currency: "eur", amount: 3_000 });
  const dispute = (await shop.post("/test_helpers/disputes", { charge_id: disputed.id }, sent))
    .body;
  return { merchant, sent, charge, refund, dispute, disputed, on: today() };
}
type Activity = Awaited<ReturnType<typeof merchantWithActivity>>;

test("201: a day without differences is balanced and shows the acquirer's totals", async () => {
  const { sent, on } = await merchantWithActivity();
  toNoonTomorrow();
  const reconciliation = await reconcile(sent, on);
  assert.deepEqual(await differences(sent), []);
  assert.deepEqual([reconciliation.status, reconciliation.day], ["balanced", on]);
  assert.deepEqual(
    reconciliation.settled.toSorted((a: { currency: string }, b: { currency: string }) =>
      a.currency < b.currency ? -1 : 1,
    ),
    [
      {
        currency: "eur",
        lines: 2,
        captured: 3_000,
        refunded: 0,
        charged_back: -3_000,
        fees: 30,
        net: -30,
      },
      {
        currency: "usd",
        lines: 3,
        captured: 14_000,
        refunded: -2_500,
        charged_back: 0,
        fees: 140,
        net: 11_360,
      },
    ],
  );
  const again = await reconcile(sent, on);
  assert.deepEqual([again.id, again.status], [reconciliation.id, "balanced"]);
  assert.deepEqual((await shop.get("/reconciliations", sent)).body.data, [again]);
  assert.deepEqual((await shop.get(`/reconciliations/${again.id}`, sent)).body, again);
});

test("a day with failed refunds, won disputes and lost inquiries is balanced", async () => {
  const { sent, on, refund, dispute, charge } = await merchantWithActivity();
  toNoonTomorrow();
  await shop.post(`/test_helpers/refunds/${refund.id}/fail`, {}, sent);
  await shop.post(
    `/disputes/${dispute.id}/evidence`,
    { uncategorized_text: "winning_evidence" },
    sent,
  );
  const inquiryParams = { charge_id: charge.id, is_inquiry: true };
  const inquiry = (await shop.post("/test_helpers/disputes", inquiryParams, sent)).body;
  assert.equal(inquiry.is_inquiry, true);
  await shop.post(`/disputes/${inquiry.id}/accept`, {}, sent);
  const ended = (id: string, status: string) =>
    until(
      async () => (await shop.get(`/disputes/${id}`, sent)).body,
      (one) => one.status === status,
    );
  await ended(dispute.id, "won");
  await ended(inquiry.id, "lost");
  // Waits until the acquirer has received the acceptance, so that the service and the acquirer record the acceptance on
  // the same day.
  await until(
    () => shop.app.database.read`select 1 from disputes where response_due_at is not null`,
    (unsent) => unsent.length === 0,
  );
  await until(
    async () => (await shop.get(`/refunds/${refund.id}`, sent)).body,
    (one) => one.status === "failed",
  );
  const later = today();
  toNoonTomorrow();
  // The file of the earlier day does not contain the movements of later days.
  assert.equal((await reconcile(sent, on)).status, "in_transit");
  // Reconciles repeatedly, because the outcome of the inquiry may not be recorded yet.
  await until(
    () => reconcile(sent, later),
    ({ status }) => status === "balanced",
  );
  assert.deepEqual(await differences(sent, "&status=open"), []);
});

type InjectedDifference = {
  readonly differences: string[];
  readonly write?: (tx: Tx, activity: Activity) => Promise<unknown>;
  readonly edit?: (file: string, activity: Activity) => string;
  /** Returns the text that the message of the difference must contain. */
  readonly expectedMessage: (activity: Activity) => string;
};
const lineWith = (file: string, content: string) =>
  file.split("\r\n").find((line) => line.includes(content)) as string;
const withoutLine = (file: string, content: string) =>
  file.replace(`${lineWith(file, content)}\r\n`, "");
/** Corrects the totals of an edited file, so that only the edit causes a difference. */
const balanced = (file: string): string => {
  const lines = file
    .split("\r\n")
    .filter((line) => line.startsWith("line,"))
    .map((line) => line.split(","));
  const sums = [...Map.groupBy(lines, (cells) => cells[5])].map(([currency, own]) => {
    const sum = (column: number) => own.reduce((total, cells) => total + Number(cells[column]), 0);
    return `total,${own.length},,,,${currency},${sum(6)},${sum(7)}`;
  });
  const rest = file.split("\r\n").filter((line) => !/^(total|end),/.test(line) && line !== "");
  return [...rest, ...sums, `end,${lines.length},,,,,,`, ""].join("\r\n");
};

const injectedDifferences: Record<string, InjectedDifference> = {
  "a payment missing in the file": {
    differences: ["missing_at_acquirer open"],
    edit: (file, { charge }) => balanced(withoutLine(file, `capture,${charge.id}`)),
    expectedMessage: ({ charge }) =>
      `The charge ${charge.id} is 100.00 USD in Florin, but no settlement file`,
  },
  "a payment that exists only in the file": {
    differences: ["missing_here open"],
    edit: (file, { charge }) =>
      balanced(
        `${file}${lineWith(file, `capture,${charge.id}`).replaceAll(charge.id, newId("ch", new Date(0)))}\r\n`,
      ),
    expectedMessage: () => "The acquirer settled 100.00 USD under ch_0000000000",
  },
  "a line with an unknown reference": {
    differences: ["missing_here open"],
    edit: (file, { charge }) =>
      balanced(
        `${file}${lineWith(file, `capture,${charge.id}`).replaceAll(charge.id, "ORDER-7")}\r\n`,
      ),
    expectedMessage: () => "The acquirer settled 100.00 USD under ORDER-7",
  },
  "a refund with a different amount": {
    differences: ["amount_differs open"],
    edit: (file) => balanced(file.replace(",-2500,", ",-2400,")),
    expectedMessage: ({ refund }) =>
      `The refund ${refund.id} is -25.00 USD in Florin, but the acquirer settled -24.00 USD`,
  },
  "a payment in a different currency": {
    differences: ["currency_differs open"],
    edit: (file, { charge }) =>
      balanced(
        file.replace(
          lineWith(file, `capture,${charge.id}`),
          lineWith(file, `capture,${charge.id}`).replace("usd", "gbp"),
        ),
      ),
    expectedMessage: ({ charge }) =>
      `The charge ${charge.id} is in USD in Florin, but the acquirer settled the charge in GBP`,
  },
  "a duplicate line": {
    differences: ["duplicate_line open"],
    edit: (file, { charge }) => balanced(`${file}${lineWith(file, `capture,${charge.id}`)}\r\n`),
    expectedMessage: ({ charge }) => `The acquirer settled ${charge.id} more than once`,
  },
  "totals that differ from the sum of the lines": {
    differences: ["totals_differ open"],
    edit: (file) => file.replace(/total,3,,,,usd,11500/, "total,3,,,,usd,11400"),
    expectedMessage: () => "for USD, the file states 114.00 in 3 lines",
  },
  "at the acquirer: a captured payment of a canceled charge": {
    differences: ["state_differs open"],
    write: (tx, { merchant }) =>
      tx`update simulator.authorizations a
            set state = 'approved', captured = true, captured_at = created_at(a.reference)
           from charges c
          where c.account_id = ${uuidOf(merchant.account)} and c.status = 'canceled'
            and a.merchant = c.account_id and a.reference = c.id`,
    expectedMessage: () =>
      "is 'canceled' in Florin, but the acquirer settled 100.00 USD for the charge",
  },
  "at the acquirer: a missing refund": {
    differences: ["missing_at_acquirer open"],
    write: (tx, { merchant }) =>
      tx`delete from simulator.operations where merchant = ${uuidOf(merchant.account)} and kind = 'refund'`,
    expectedMessage: ({ refund }) => `The refund ${refund.id} is -25.00 USD in Florin`,
  },
  "at the acquirer: a chargeback with a larger amount": {
    differences: ["amount_differs open"],
    write: (tx, { merchant }) =>
      tx`update simulator.cases set chargeback_amount = chargeback_amount + 1 where merchant = ${uuidOf(merchant.account)}`,
    expectedMessage: ({ dispute }) =>
      `The dispute ${dispute.id} is -30.00 EUR in Florin, but the acquirer settled -30.01 EUR`,
  },
  "in our ledger: a missing charge": {
    differences: ["ledger_missing open"],
    write: (tx, { charge, merchant }) =>
      tx`delete from ledger_transfers
          where account_id = ${uuidOf(merchant.account)} and entry_id = ${uuidOf(charge.id)} and kind = 'charge'`,
    expectedMessage: ({ charge }) =>
      `The charge ${charge.id} is 'succeeded' with 100.00 USD, but the ledger has no entry`,
  },
  "in our ledger: a refund with a different amount": {
    differences: ["ledger_differs open"],
    write: (tx, { merchant }) =>
      tx`update ledger_transfers set amount = amount - 1
          where account_id = ${uuidOf(merchant.account)} and kind = 'refund'`,
    expectedMessage: ({ refund }) =>
      `The refund ${refund.id} is 'succeeded' with -25.00 USD, but the ledger has -24.99 USD`,
  },
  "in our ledger: an entry for a nonexistent dispute": {
    differences: ["ledger_unexplained open"],
    write: (tx, { merchant }) =>
      tx`insert into ledger_transfers (account_id, livemode, entry_id, line, kind, debit, credit, amount, currency, source_id)
         select account_id, livemode, overlay(entry_id::text placing 'ffffffff' from 29)::uuid, line, kind, debit, credit,
                amount, currency, source_id
           from ledger_transfers where account_id = ${uuidOf(merchant.account)} and kind = 'dispute'`,
    expectedMessage: () => "The ledger has -30.00 EUR for dp_",
  },
  "in our events: a missing event of a payment": {
    differences: ["event_missing open"],
    write: (tx, { merchant, charge }) =>
      tx`delete from events where account_id = ${uuidOf(merchant.account)} and object_id = ${uuidOf(charge.id)}`,
    expectedMessage: ({ charge }) =>
      `The charge ${charge.id} is 'succeeded', but has no event for that status`,
  },
  "in our events: a missing event of a dispute": {
    differences: ["event_missing open"],
    write: (tx, { merchant, dispute }) =>
      tx`delete from events where account_id = ${uuidOf(merchant.account)} and object_id = ${uuidOf(dispute.id)}`,
    expectedMessage: ({ dispute }) =>
      `The dispute ${dispute.id} is 'needs_response', but has no event for that status`,
  },
};

for (const [what, injected] of Object.entries(injectedDifferences)) {
  test(`${what} is reported, and nothing else`, async () => {
    const activity = await merchantWithActivity();
    const { sent, on, merchant } = activity;
    if (injected.write)
      await writeDirectly((tx) => injected.write?.(tx, activity) as Promise<unknown>);
    toNoonTomorrow();
    const acquirer = acquirerWithEditedFile((file) => injected.edit?.(file, activity) ?? file);
    const scope = { account: merchant.account, livemode: false };
    await reconcileDay({ database: shop.app.database, clock: shop.clock }, acquirer, scope, on);
    const list = await differences(sent);
    assert.deepEqual(reported(list), injected.differences, JSON.stringify(list, null, 1));
    assert.ok(list[0].message.includes(injected.expectedMessage(activity)), list[0].message);
    assert.ok(list[0].advice.length > 20);
    const [reconciliation] = (await shop.get("/reconciliations", sent)).body.data;
    assert.deepEqual(
      [reconciliation.status, reconciliation.open_differences],
      ["differences", injected.differences.length],
    );
  });
}

/** Returns an acquirer whose settlement files are edited before the service receives them. */
function acquirerWithEditedFile(
  edit: (file: string) => string,
): Parameters<typeof reconcileDay>[1] {
  return {
    name: "simulator",
    settlesWithinMs: 0,
    async settlementFile(request) {
      const response = await shop.simulator.settlementFile(request);
      if (response.kind !== "file") return response;
      const text = edit((await Array.fromAsync(response.text)).join(""));
      // Splits the file into chunks that end in the middle of lines, as a network does.
      return { kind: "file", text: splitIntoChunks(text) };
    },
  };
}

async function* splitIntoChunks(text: string): AsyncGenerator<string> {
  for (let start = 0; start < text.length; start += 37) yield text.slice(start, start + 37);
}

test("a difference is resolved by the corrected file, and names that file", async () => {
  const activity = await merchantWithActivity();
  const { sent, on, merchant, charge } = activity;
  toNoonTomorrow();
  const scope = { account: merchant.account, livemode: false };
  const deps = { database: shop.app.database, clock: shop.clock };
  const cut = acquirerWithEditedFile((file) => balanced(withoutLine(file, `capture,${charge.id}`)));
  const first = await reconcileDay(deps, cut, scope, on);
  assert.equal(first.outcome.status, "differences");
  assert.equal((await reconcile(sent, on)).status, "balanced");
  const [closed] = await differences(sent);
  assert.deepEqual(
    [closed.status, closed.found_by, closed.closed_by],
    ["closed", first.id, first.id],
  );
  assert.deepEqual(await differences(sent, `&reconciliation_id=${first.id}`), [closed]);
  assert.deepEqual(await differences(sent, "&status=open"), []);
});

/**
 * Returns an acquirer whose file ends only after `beforeEnd` is done, so that another reconciliation can start before
 * the end.
 */
function slowAcquirer(
  beforeEnd: () => Promise<unknown> = () => sleep(300),
): Parameters<typeof reconcileDay>[1] {
  return {
    name: "simulator",
    settlesWithinMs: 0,
    async settlementFile(request) {
      const response = await shop.simulator.settlementFile(request);
      if (response.kind !== "file") return response;
      return { kind: "file", text: delayEnd(response.text, beforeEnd) };
    },
  };
}

async function* delayEnd(text: AsyncIterable<string>, beforeEnd: () => Promise<unknown>) {
  yield* text;
  await beforeEnd();
}

/**
 * Returns the state, day and number of lines of each of the merchant's files. Lines without a file have the state
 * `null`.
 */
const filesOf = ({ account }: Merchant) =>
  shop.app.database.read<{ state: string | null; day: string | null; lines: number }>`
    select f.state, f.day::text as day, count(l.line) as lines
      from settlement_files f
      full join settlement_lines l on l.account_id = f.account_id and l.file_id = f.id
     where coalesce(f.account_id, l.account_id) = ${uuidOf(account)}
     group by f.id, f.state, f.day
     order by f.day
  `;

test("concurrent reconciliations of one day return the same result and store its file once", async () => {
  const { on, merchant } = await merchantWithActivity();
  toNoonTomorrow();
  const scope = { account: merchant.account, livemode: false };
  const deps = { database: shop.app.database, clock: shop.clock };
  // Simulates several servers that share only the database.
  const created = await Promise.all(
    [1, 2, 3].map(() => reconcileDay(deps, slowAcquirer(), scope, on)),
  );
  assert.deepEqual(
    created.map(({ outcome }) => outcome.status),
    ["balanced", "balanced", "balanced"],
  );
  assert.deepEqual(await filesOf(merchant), [{ state: "received", day: on, lines: 5 }]);
});

test("201: a request during the reconciliation of its day waits and returns the same result", async () => {
  const { sent, on, merchant } = await merchantWithActivity();
  toNoonTomorrow();
  const scope = { account: merchant.account, livemode: false };
  const deps = { database: shop.app.database, clock: shop.clock };
  const [first, ...requested] = await Promise.all([
    reconcileDay(deps, slowAcquirer(), scope, on),
    reconcile(sent, on),
    reconcile(sent, on),
  ]);
  assert.deepEqual(
    [first.outcome.status, ...requested.map(({ status }) => status)],
    ["balanced", "balanced", "balanced"],
  );
  assert.deepEqual(await filesOf(merchant), [{ state: "received", day: on, lines: 5 }]);
});

test("a file that is deleted during reconciliation causes an error and leaves no lines", async () => {
  const { sent, on, merchant } = await merchantWithActivity();
  toNoonTomorrow();
  const scope = { account: merchant.account, livemode: false };
  const deps = { database: shop.app.database, clock: shop.clock };
  const acquirer = slowAcquirer(() =>
    writeDirectly(
      (tx) => tx`delete from settlement_files where account_id = ${uuidOf(merchant.account)}`,
    ),
  );
  await assert.rejects(reconcileDay(deps, acquirer, scope, on), /was deleted/);
  assert.deepEqual(await filesOf(merchant), []);
  assert.equal((await reconcile(sent, on)).status, "balanced");
});

test("a payment around midnight is in transit, and is matched on the next day", async () => {
  const merchant = await shop.createMerchant();
  const sent = { as: merchant.key };
  const on = today();
  // Advances the clock of the service and the acquirer to five seconds before midnight.
  shop.clock.advance(day / 2 - 5 * second);
  shop.simulator.injectFaults({ on: ["authorize", "inquire"], dropAfter: true });
  const lost = await pay(sent);
  assert.deepEqual([lost.status, lost.pending_reason], ["processing", "outcome_unknown"]);
  shop.simulator.injectFaults({});
  const late = await pay(sent, { payment_method_id: "pm_card_pendingRefund", amount: 5_000 });
  const refund = (await shop.post("/refunds", { charge_id: late.id }, sent)).body;
  assert.equal(refund.status, "pending");
  shop.simulator.injectFaults({ on: ["inquire"], dropBefore: true });

  shop.clock.advance(5 * second + minute);
  await until(
    async () => (await shop.get(`/refunds/${refund.id}`, sent)).body,
    ({ status }) => status === "succeeded",
  );
  const reconciliation = await reconcile(sent, on);
  assert.equal(reconciliation.status, "in_transit");
  assert.deepEqual(reported(await differences(sent)), [
    "missing_at_acquirer in_transit",
    "state_differs in_transit",
  ]);

  shop.simulator.injectFaults({});
  shop.clock.advance(hour);
  await until(
    async () => {
      // Advances the clock repeatedly, because an inquiry that was in progress may have postponed the next one.
      shop.clock.advance(minute);
      return (await shop.get(`/charges/${lost.id}`, sent)).body;
    },
    ({ status }) => status === "succeeded",
  );
  toNoonTomorrow();
  const next = new Date(Date.parse(on) + day).toISOString().slice(0, 10);
  assert.equal((await reconcile(sent, next)).status, "balanced");
  assert.deepEqual(reported(await differences(sent)), [
    "missing_at_acquirer closed",
    "state_differs closed",
  ]);
});

test("rejects a truncated file and a file of another day", async () => {
  const { sent, on, merchant } = await merchantWithActivity();
  toNoonTomorrow();
  const scope = { account: merchant.account, livemode: false };
  const deps = { database: shop.app.database, clock: shop.clock };
  for (const [edit, why] of [
    [(file: string) => file.slice(0, file.indexOf("total,")), "the end record is missing"],
    [(file: string) => file.replace(on, "2020-01-01"), "for 2020-01-01"],
    [(file: string) => file.replace(",10000,", ",ten,"), "'ten' is not an integer"],
  ] as const) {
    const { outcome } = await reconcileDay(deps, acquirerWithEditedFile(edit), scope, on);
    assert.equal(outcome.status, "file_unreadable");
    assert.ok("message" in outcome && outcome.message.includes(why), JSON.stringify(outcome));
  }
  assert.deepEqual(await differences(sent), []);
  assert.equal((await reconcile(sent, on)).status, "balanced");
});

test("400, 404: rejects unfinished and impossible days, and unknown reconciliations", async () => {
  const ahead = new Date(shop.clock.now().getTime() + day).toISOString().slice(0, 10);
  for (const wrongDay of [ahead, "2026-02-31"]) {
    assert.deepEqual(errorOf(await shop.post("/reconciliations", { day: wrongDay })).slice(2), [
      "parameter_invalid",
      "day",
    ]);
  }
  const nothing = newId("rec", shop.clock.now());
  assert.deepEqual(errorOf(await shop.get(`/reconciliations/${nothing}`)).slice(2), [
    "resource_missing",
    "id",
  ]);
  assert.deepEqual(
    errorOf(await shop.get("/reconciliation_differences?reconciliation_id=x")).slice(2),
    ["resource_missing", "reconciliation_id"],
  );
});
