import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { listAllAssignments } from "../../src/acquiring/connections/assignment.sql.ts";
import { uuidOf } from "../../src/core/ids.ts";
import { systemTimers } from "../../src/core/timers.ts";
import { lockAccount } from "../../src/identity/accounts/account.sql.ts";
import type { SecretKey } from "../../src/identity/api-keys/key-text.ts";
import { startSettlements } from "../../src/payments/settlements/settlement.jobs.ts";
import { connectAdyen, type LiveMerchant, pay, startAdyenShop } from "../adyen.ts";
import { fakeOwes, ledgerOwed } from "../adyen-ledgers.ts";
import { createCheckout } from "../checkout.ts";
import { createPerson } from "../person.ts";
import { countLockWaits } from "../queue-behind.ts";
import { day, minute, skipEndOfDay } from "../test-clock.ts";
import { until } from "../until.ts";

const { adyen, shop } = await startAdyenShop();
skipEndOfDay(shop.clock);
const first = await connectAdyen(shop, adyen);
const signIn = () => createPerson(shop, { operator: true, secondFactor: true });
let operator = await signIn();
const [connection] = (await operator.send("GET", "/operator/v1/connections")).body.data;
const path = `/operator/v1/connections/${connection.id}`;
const merchantAccount = connection.settings.merchant_account;
const second = await assignAnother();
const merchants = [first, second];

/** Assigns a new account to the merchant account at Adyen that `first` uses. */
async function assignAnother(): Promise<LiveMerchant> {
  const { account } = await shop.createMerchant({ status: "approved" });
  const assigned = await operator.send("POST", "/operator/v1/assignments", {
    account,
    connection: connection.id,
    merchant_account: merchantAccount,
    mcc: "5941",
    reason: "Agreed with the merchant.",
  });
  assert.equal(assigned.status, 201, assigned.text);
  return { account, key: (await shop.issueKey(account, true)).secret };
}

type Report = {
  readonly batch: string;
  readonly revision: number;
  readonly applied_at: number | null;
  readonly problem: string | null;
  readonly warning: string | null;
  readonly sums: readonly { readonly paid_out: number; readonly other: number }[];
  readonly unmatched_lines: number;
  readonly unmatched: readonly { readonly reference: string; readonly amount: number }[];
};

const reports = async (): Promise<Report[]> =>
  (await operator.send("GET", `${path}/reports`)).body.data;
const applied = (batch: string, revision = 1): Promise<Report[]> =>
  until(reports, (found) =>
    found.some(
      (one) => one.batch === batch && one.revision === revision && one.applied_at !== null,
    ),
  );
const upload = (csv: string, name = "settlement_detail_report.csv") =>
  operator.send("POST", `${path}/reports?file_name=${name}`, csv, { "content-type": "text/csv" });

/** Pays, and returns the charge. */
async function payAs({ key }: LiveMerchant, amount = 1999): Promise<string> {
  const browser = await createCheckout(shop, { amount }, key);
  await pay(browser);
  const { data } = (await shop.get("/charges?limit=1", { as: key })).body;
  assert.equal(data[0].status, "succeeded");
  return data[0].id;
}

async function refund({ key }: LiveMerchant, charge: string, amount: number): Promise<void> {
  const { body } = await shop.post("/refunds", { charge_id: charge, amount }, { as: key });
  const read = async () => (await shop.get(`/refunds/${body.id}`, { as: key })).body;
  await until(read, ({ status }) => status === "succeeded");
}

async function dispute({ key }: LiveMerchant, charge: string): Promise<void> {
  const [payment] = await adyen.payments(`reference=${charge}`);
  const { pspReference } = payment as unknown as { pspReference: string };
  await adyen.control("POST disputes", { payment: pspReference, stage: "chargeback" });
  const opened = async () => (await shop.get(`/disputes?charge_id=${charge}`, { as: key })).body;
  await until(opened, ({ data }) => data.length === 1);
}

type Batch = {
  readonly number: number;
  readonly report: string;
  readonly payouts: Readonly<Record<string, number>>;
};

/** Closes the batch at Adyen and suppresses the notification, so that the test can upload the report. */
async function closeBatch(): Promise<Batch> {
  await adyen.fault("reports", "lost_notification");
  const { settlement } = await adyen.control<{ settlement: Batch }>("POST settlements", {
    merchantAccount,
  });
  return settlement;
}

const today = () => shop.clock.now().toISOString().slice(0, 10);

async function reconcile({ key }: { readonly key: SecretKey }) {
  shop.clock.advance(2 * minute);
  const { body, text } = await shop.post("/reconciliations", { day: today() }, { as: key });
  const { data } = (
    await shop.get("/reconciliation_differences?status=open&status=in_transit&limit=100", {
      as: key,
    })
  ).body;
  assert.ok(body.status, text);
  return { status: body.status, settled: body.settled, differences: data };
}

const kindsOf = (differences: readonly { kind: string; status: string }[]) =>
  differences.map(({ kind, status }) => `${kind} ${status}`).sort();

const balanceOf = async ({ key }: LiveMerchant) => {
  const { available, pending } = (await shop.get("/balance", { as: key })).body;
  return { available: available[0]?.amount, pending: pending[0]?.amount };
};
const payoutsOf = async ({ key }: LiveMerchant) =>
  (await shop.get("/payouts?limit=100", { as: key })).body.data;

let batchOne: Batch;
/** The day on which the report with differences was received. */
let receivedOn: string;

test("a settled batch of two accounts is matched, posted and paid out, and both accounts are balanced", async () => {
  const charges = [await payAs(first), await payAs(first, 5000), await payAs(second, 3000)];
  await refund(first, charges[0] as string, 500);
  const before = await balanceOf(first);
  assert.ok(before.pending > 0 && before.available < 0, JSON.stringify(before));
  batchOne = await closeBatch();
  const sent = await upload(batchOne.report);
  assert.deepEqual(
    [sent.status, sent.body.result, sent.body.problem],
    [201, "stored", null],
    sent.text,
  );
  const [report] = await applied("1");
  assert.equal(report?.unmatched_lines, 0);
  for (const merchant of merchants) {
    const { status, differences } = await reconcile(merchant);
    assert.deepEqual([status, kindsOf(differences)], ["balanced", []], JSON.stringify(differences));
    assert.equal((await balanceOf(merchant)).pending, 0);
  }
  const paid = [...(await payoutsOf(first)), ...(await payoutsOf(second))];
  assert.deepEqual(new Set(paid.map(({ status }) => status)), new Set(["paid"]));
  assert.equal(
    paid.reduce((sum, { amount }) => sum + amount, 0),
    batchOne.payouts.USD,
  );
  assert.deepEqual(
    await ledgerOwed(
      shop.app.database.read,
      merchants.map(({ account }) => account),
    ),
    await fakeOwes(adyen),
  );
  const [payout] = await payoutsOf(first);
  const as = { as: first.key };
  const contained = (await shop.get(`/charges?payout_id=${payout.id}`, as)).body.data;
  assert.deepEqual(
    contained.map(({ id }: { id: string }) => id),
    [charges[1], charges[0]],
  );
  for (const charge of charges) {
    const { data } = (await shop.get(`/payouts?charge_id=${charge}`, as)).body;
    const isOwn = charge !== charges[2];
    assert.deepEqual(data, isOwn ? [payout] : [], String(charge));
  }
  const foreign = await shop.get(`/charges?payout_id=${payout.id}`, { as: second.key });
  assert.deepEqual(foreign.body.data, []);
  const fees = (await shop.get("/balance_transactions?type=acquirer_fee", { as: first.key })).body;
  assert.equal(fees.data.length, 1);
});

test("the same report again posts nothing", async () => {
  const before = await Promise.all(merchants.map(balanceOf));
  const repeated = await upload(batchOne.report);
  assert.equal(repeated.body.result, "repeated");
  await applied("1");
  assert.deepEqual(await Promise.all(merchants.map(balanceOf)), before);
  assert.equal((await payoutsOf(first)).length, 1);
});

test("a live charge is pending until its batch is settled, and a chargeback and its fee reduce the payout", async () => {
  const charge = await payAs(first);
  const { data } = (await shop.get(`/balance_transactions?source=${charge}`, { as: first.key }))
    .body;
  assert.deepEqual([data[0].status, data[0].available_on], ["pending", null]);
  await dispute(first, charge);
  await payAs(second, 9000);
  const batch = await closeBatch();
  await upload(batch.report);
  await applied("2");
  const settled = (await shop.get(`/balance_transactions?source=${charge}`, { as: first.key }))
    .body;
  assert.equal(settled.data.at(-1).status, "available");
  for (const merchant of merchants) {
    const { status, differences } = await reconcile(merchant);
    assert.deepEqual([status, kindsOf(differences)], ["balanced", []], JSON.stringify(differences));
  }
});

test("an unknown line, an altered amount, another currency, a duplicate and a missing charge are reported as differences", async () => {
  const missing = await payAs(second, 4100);
  const altered = await payAs(second, 4200);
  const converted = await payAs(second, 4300);
  const repeated = await payAs(second, 4400);
  const unknown = await payAs(second, 4500);
  await adyen.control("POST clock", { advanceMs: 9 * day });
  shop.clock.advance(9 * day);
  operator = await signIn();
  await payAs(second, 4600);
  const { report } = await closeBatch();
  const lines = report.trimEnd().split("\n");
  const lineOf = (charge: string) => lines.find((line) => line.includes(charge)) as string;
  const changed = lines.flatMap((line) => {
    if (line === lineOf(missing)) return [];
    if (line === lineOf(altered)) {
      // Reduces the gross and net amounts by one dollar.
      const less = (cell: string) => (Number(cell) - 1).toFixed(2);
      const credits = ["Gross Credit (GC)", "Net Credit (NC)"].map((name) =>
        (lines[0] as string).split(",").indexOf(name),
      );
      return [
        line
          .split(",")
          .map((cell, at) => (credits.includes(at) ? less(cell) : cell))
          .join(","),
      ];
    }
    if (line === lineOf(converted)) return [line.replaceAll(",USD,", ",EUR,")];
    if (line === lineOf(repeated)) return [line, line];
    if (line === lineOf(unknown)) return [line.replace(unknown, "order-77")];
    return [line];
  });
  // The changed lines no longer add up to 0, so the payout lines are corrected as well.
  const sent = await upload(balanced(changed));
  assert.deepEqual([sent.status, sent.body.problem], [201, null], sent.text);
  const [found] = await applied("3");
  assert.deepEqual([found?.unmatched_lines, found?.unmatched.length], [2, 2]);
  assert.ok(found?.unmatched.some(({ amount }) => amount === 4500));
  receivedOn = today();
  // A difference counts as in transit for an hour, because a notification that explains it may still arrive.
  await reconcile(second);
  shop.clock.advance(day);
  operator = await signIn();
  const { status, differences } = await reconcile(second);
  assert.equal(status, "differences");
  const kinds = Object.fromEntries(
    differences.map((one: { reference: string; kind: string; status: string }) => [
      one.reference,
      `${one.kind} ${one.status}`,
    ]),
  );
  assert.deepEqual(kinds, {
    [missing]: "missing_at_acquirer open",
    [altered]: "amount_differs open",
    [converted]: "currency_differs open",
    [repeated]: "duplicate_line open",
    [unknown]: "missing_at_acquirer open",
  });
});

test("a corrected report of the batch posts the corrections and closes the reported differences", async () => {
  const { settlements } = await adyen.control<{ settlements: Batch[] }>("GET settlements");
  const batch = settlements.find(({ number }) => number === 3) as Batch;
  const corrected = await upload(batch.report);
  assert.deepEqual([corrected.status, corrected.body.result], [201, "corrected"], corrected.text);
  await applied("3", 2);
  const { body } = await shop.post("/reconciliations", { day: receivedOn }, { as: second.key });
  assert.equal(body.open_differences, 0, JSON.stringify(body));
  assert.equal((await balanceOf(second)).pending, 0);
});

test("an incomplete report never replaces a complete one, and a report of another merchant account is rejected", async () => {
  const cut = batchOne.report.trimEnd().split("\n").slice(0, -1).join("\n");
  assert.equal((await upload(`${cut}\n`)).status, 400);
  const other = batchOne.report.replaceAll(merchantAccount, "AnotherECOM");
  assert.match((await upload(other)).body.error.message, /which this connection does not use/);
  assert.equal((await upload("no report")).status, 400);
});

/** Returns the report with new payout lines, so that the lines of each currency add up to 0. */
function balanced(lines: readonly string[]): string {
  const [head = "", ...rest] = lines;
  const columns = head.split(",");
  const at = (name: string) => columns.indexOf(name);
  const kept = rest.filter((line) => line.split(",")[at("Type")] !== "MerchantPayout");
  const template = rest.find((line) => line.split(",")[at("Type")] === "MerchantPayout") as string;
  const sums = new Map<string, number>();
  for (const line of kept) {
    const cells = line.split(",");
    const cents = (name: string) => Math.round(Number(cells[at(name)] || 0) * 100);
    const currency = cells[at("Net Currency")] as string;
    const net = cents("Net Credit (NC)") - cents("Net Debit (NC)");
    sums.set(currency, (sums.get(currency) ?? 0) + net);
  }
  const payouts = [...sums].map(([currency, sum]) => {
    const cells = template.split(",");
    // The batch pays out only dollars. The amount in euros is transferred to the next batch.
    if (currency === "EUR") cells[at("Type")] = "Balancetransfer";
    cells[at("Net Currency")] = currency;
    cells[at("Net Debit (NC)")] = (sum / 100).toFixed(2);
    return cells.join(",");
  });
  return `${[head, ...kept, ...payouts].join("\n")}\n`;
}

test("servers that apply the same report at the same time post it once", async () => {
  await payAs(first, 7000);
  const before = (await payoutsOf(first)).length;
  const { report, number } = await closeBatch();
  const { database } = shop.app;
  const assignments = await listAllAssignments(database.read);
  const directory = { assignmentsAt: () => assignments };
  const errors: unknown[] = [];
  const log = { reportFailed: (...[, , error]: unknown[]) => void errors.push(error) };
  const deps = { database, directory, clock: shop.clock, wakeDeliveries: () => undefined, log };
  const background = {
    timers: systemTimers,
    onError: (_: string, error: unknown) => errors.push(error),
  };
  const loops = [1, 2, 3].map(() => startSettlements(deps, background));
  try {
    await upload(report);
    await applied(String(number));
  } finally {
    await Promise.all(loops.map((loop) => loop.stop()));
  }
  assert.deepEqual(errors, []);
  assert.equal((await payoutsOf(first)).length, before + 1);
});

test("a report whose posting fails in the middle is completed afterwards, and nothing is posted twice", async () => {
  const { database } = shop.app;
  await payAs(first, 1200);
  await payAs(second, 1300);
  const before = await Promise.all(merchants.map(payoutsOf));
  const run = (statement: string) =>
    database.autocommit((tx) => tx(Object.assign([statement], { raw: [statement] })));
  await run(
    `create function fail_settlement() returns trigger language plpgsql as
       $$ begin if new.account_id = '${uuidOf(second.account)}' then raise 'stopped'; end if; return new; end $$`,
  );
  await run(
    "create trigger fail_settlement before insert on settlements for each row execute function fail_settlement()",
  );
  const { report, number } = await closeBatch();
  await upload(report);
  const pending = async () =>
    (await reports()).find(({ batch }) => batch === String(number))?.applied_at;
  await sleep(2_500);
  assert.equal(await pending(), null);
  assert.deepEqual(await Promise.all(merchants.map(payoutsOf)), before);
  await run("drop trigger fail_settlement on settlements");
  shop.clock.advance(minute);
  await applied(String(number));
  const after = await Promise.all(merchants.map(payoutsOf));
  assert.deepEqual(
    after.map(({ length }, index) => length - (before[index]?.length ?? 0)),
    [1, 1],
  );
});

test("a corrected report that pays out less does not change the payout, and the operator sees a warning", async () => {
  const before = (await payoutsOf(first)).length + (await payoutsOf(second)).length;
  const head = (batchOne.report.split("\n")[0] as string).split(",");
  const at = (name: string) => head.indexOf(name);
  const less = batchOne.report.split("\n").flatMap((line) => {
    const cells = line.split(",");
    if (cells[at("Type")] !== "MerchantPayout") return [line];
    const debit = at("Net Debit (NC)");
    const paid = cells.with(debit, (Number(cells[debit]) - 1).toFixed(2));
    return [
      paid.join(","),
      cells.with(at("Type"), "Balancetransfer").with(debit, "1.00").join(","),
    ];
  });
  assert.equal((await upload(less.join("\n"))).body.result, "corrected");
  const corrected = (await applied("1", 2)).find(({ batch }) => batch === "1");
  assert.match(corrected?.warning ?? "", /^The recorded payouts are 93.99 USD/);
  assert.equal((await payoutsOf(first)).length + (await payoutsOf(second)).length, before);
  await upload(batchOne.report);
  const original = (await applied("1", 3)).find(({ batch }) => batch === "1");
  assert.equal(original?.warning, null);
});

test("our ledger and the fake's ledger have the same sums, except for costs of the batch that belong to no account", async () => {
  const costs = (await reports()).flatMap(({ sums }) => sums.map(({ other }) => other));
  const ours = await ledgerOwed(
    shop.app.database.read,
    merchants.map(({ account }) => account),
  );
  const unassigned = costs.reduce((sum, other) => sum + other, 0);
  // The fee of the chargeback.
  assert.equal(unassigned, -1500);
  assert.deepEqual({ USD: (ours.USD ?? 0) + unassigned }, await fakeOwes(adyen));
});

test("a payment that a correction moves to another batch is available, although the report of that batch arrived first", async () => {
  const charge = await payAs(second, 8100);
  await payAs(second, 8200);
  const from = await closeBatch();
  await payAs(second, 8300);
  const to = await closeBatch();
  const linesOf = ({ report }: Batch) => report.trimEnd().split("\n");
  const isMoved = (line: string) => line.includes(charge);
  const batchAt = (linesOf(from)[0] as string).split(",").indexOf("Batch Number");
  const moved = linesOf(from)
    .filter(isMoved)
    .map((line) => line.split(",").with(batchAt, String(to.number)).join(","));
  assert.equal(moved.length, 1);
  assert.equal((await upload(from.report)).status, 201);
  await applied(String(from.number));
  assert.equal((await upload(balanced([...linesOf(to), ...moved]))).status, 201);
  await applied(String(to.number));
  const before = await balanceOf(second);
  assert.equal(before.pending, 0);

  const without = linesOf(from).filter((line) => !isMoved(line));
  assert.equal((await upload(balanced(without))).body.result, "corrected");
  await applied(String(from.number), 2);
  await until(
    async () => (await balanceOf(second)).pending,
    (pending) => pending === 0,
  );
});

test("a line of an unknown type that names a payment does not settle it, and the other lines of its report are posted", async () => {
  const [named, settled] = [await payAs(second, 8400), await payAs(second, 8500)];
  const batch = await closeBatch();
  const lines = batch.report.trimEnd().split("\n");
  const typeAt = (lines[0] as string).split(",").indexOf("Type");
  const changed = lines.map((line) =>
    line.includes(named) ? line.split(",").with(typeAt, "PaymentCost").join(",") : line,
  );
  assert.equal((await upload(`${changed.join("\n")}\n`)).body.result, "stored");
  await applied(String(batch.number));
  const statusOf = async (charge: string) => {
    const path = `/balance_transactions?source=${charge}`;
    const { data } = (await shop.get(path, { as: second.key })).body;
    return data.map(({ status }: { status: string }) => status);
  };
  assert.deepEqual([await statusOf(named), await statusOf(settled)], [["pending"], ["available"]]);

  assert.equal((await upload(batch.report)).body.result, "corrected");
  await applied(String(batch.number), 2);
  assert.deepEqual(await statusOf(named), ["available"]);
});

test("a correction that arrives while the report is being posted is posted in one part", async () => {
  operator = await signIn();
  const own = "FieldwareSingle";
  const single = await connectAdyen(shop, adyen, { merchantAccount: own });
  await payAs(single, 9100);
  await adyen.fault("reports", "lost_notification");
  const { settlement: batch } = await adyen.control<{ settlement: Batch }>("POST settlements", {
    merchantAccount: own,
  });
  const reportsPath = `/operator/v1/connections/${single.connection}/reports`;
  const uploadOwn = (csv: string) =>
    operator.send("POST", `${reportsPath}?file_name=report.csv`, csv, {
      "content-type": "text/csv",
    });
  const { database } = shop.app;
  const corrected = await database.transaction(async (tx) => {
    // The job has matched the lines, and waits here before it posts them.
    await lockAccount(tx, single.account);
    assert.equal((await uploadOwn(batch.report)).body.result, "stored");
    await until(
      () => countLockWaits(database, "from accounts"),
      (count) => count > 0,
    );
    // The empty line makes the file differ from the first one.
    let isStored = false;
    const reply = uploadOwn(`${batch.report}\n`).finally(() => {
      isStored = true;
    });
    await until(
      async () => isStored || (await countLockWaits(database, "settlement_reports")) > 0,
      (isNext) => isNext,
    );
    return { reply };
  });
  assert.equal((await corrected.reply).body.result, "corrected");
  await until(
    async () => (await operator.send("GET", reportsPath)).body.data,
    ([one]) => one.revision === 2 && one.applied_at !== null,
  );
  const parts = await database.read<{ settled: number }>`
    select settled from settlements where account_id = ${uuidOf(single.account)}`;
  assert.equal(parts.length, 1);
});
