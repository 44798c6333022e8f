import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createTestDatabase } from "../../test/database.ts";
import { until } from "../../test/until.ts";
import { type AccountId, newId, uuidOf } from "../core/ids.ts";
import { insertAccount } from "../identity/accounts/account.sql.ts";
import { newAccount } from "../identity/accounts/account.ts";
import { connectDatabase } from "../platform/database/database.ts";
import { createAmountHistory } from "./amount-history.ts";

const minuteMs = 60_000;
const clock = { time: Date.parse("2026-05-15T12:30:00Z"), now: () => new Date(clock.time) };
const testDatabase = await createTestDatabase();
const database = connectDatabase({
  url: testDatabase.url,
  poolSize: 2,
  onIdleError: () => undefined,
});
after(async () => {
  await database.close();
  await testDatabase.drop();
});

/** Creates a merchant with this many succeeded payments of 10.00 USD. */
async function merchantWith(payments: number): Promise<AccountId> {
  const account = newId("acct", clock.now());
  await database.transaction((tx) =>
    insertAccount(tx, { ...newAccount, id: account, name: "Shop", country: "US" }),
  );
  await addPayments(account, payments, 1_000);
  return account;
}

let lastId = 0;

async function addPayments(account: AccountId, payments: number, amount: number): Promise<void> {
  const first = lastId + 1;
  lastId += payments;
  await database.transaction(
    (tx) => tx`
      insert into charges (
        account_id, livemode, id, status, version, amount, amount_captured, currency, capture_method, processor,
        payment_method_id, card, checks, decision_outcome, risk_score, metadata, claimed_by, finalized_at
      )
      select ${uuidOf(account)}, false, ('01970000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'succeeded', 2,
             ${amount}, ${amount}, 'usd', 'automatic', 'simulator', '0197a0c0-0000-7000-8000-000000000000',
             '{"brand":"visa","last4":"4242","exp_month":12,"exp_year":2030,"funding":"credit","country":"US",
               "networks":{"available":["visa"],"preferred":null},"fingerprint":"f"}'::jsonb,
             '{"cvcCheck":null,"addressLine1Check":null,"addressPostalCodeCheck":null}'::jsonb,
             'approve', 10, '{}'::jsonb, 0, now()
        from generate_series(${first}::integer, ${lastId}::integer) as n`,
  );
}

const history = () =>
  createAmountHistory({ database, clock }, (_, error) => assert.fail(String(error)));
type History = ReturnType<typeof history>;

const ratioOf = (amounts: History, account: AccountId) =>
  amounts.ratio({ account, livemode: false }, { amountMinor: 3_000, currency: "usd" });

/** Waits until the ratio is the expected one, because the means are read in the background. */
const waitForRatio = (amounts: History, account: AccountId, expected: number) =>
  until(
    async () => ratioOf(amounts, account),
    (ratio) => ratio === expected,
  );

test("the ratio is 0 until the merchant has 50 payments, and then the amount divided by their mean", async () => {
  const amounts = history();
  const [few, enough] = [await merchantWith(49), await merchantWith(50)];
  // One statement reads the means of both merchants, because both are requested in the same turn of the event loop.
  ratioOf(amounts, few);
  ratioOf(amounts, enough);
  await waitForRatio(amounts, enough, 3);
  assert.equal(ratioOf(amounts, few), 0);
  await addPayments(few, 1, 1_000);
  clock.time += 10 * minuteMs;
  await waitForRatio(amounts, few, 3);
});

test("the means of few payments are read again soon, and those of 1,000 payments after a day", async () => {
  const amounts = history();
  const [small, large] = [await merchantWith(50), await merchantWith(1_000)];
  for (const account of [small, large]) {
    await waitForRatio(amounts, account, 3);
    await addPayments(account, 1_000, 3_000);
  }
  // The means of 50 payments are cached for a twentieth of a day.
  clock.time += 73 * minuteMs;
  ratioOf(amounts, large);
  await waitForRatio(amounts, small, 1);
  assert.equal(ratioOf(amounts, large), 3, "the means of 1,000 payments were read again");
  clock.time += (24 * 60 - 73) * minuteMs;
  await waitForRatio(amounts, large, 1);
});
