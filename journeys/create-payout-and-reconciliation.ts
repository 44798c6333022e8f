import { query } from "./database.ts";
import { florin } from "./running-florin.ts";

/** The IDs of the payout and the reconciliation whose pages are opened. */
export type PayoutAndReconciliation = { readonly payout: string; readonly reconciliation: string };

type Created = { readonly id: string };
const post = (path: string, body: object) => florin.api<Created>("POST", path, body);

const hourMs = 60 * 60 * 1000;
const dayOf = (time: Date) => time.toISOString().slice(0, 10);

/**
 * Returns the time two hours ago, because newer payments may still be in progress. If the time two hours ago
 * is on the previous day, returns noon of that day.
 */
function timeForReconciliation(): Date {
  const now = new Date();
  const twoHoursAgo = new Date(now.getTime() - 2 * hourMs);
  if (dayOf(twoHoursAgo) === dayOf(now)) return twoHoursAgo;
  return new Date(Date.parse(dayOf(now)) - 12 * hourMs);
}

/** Inserts a payment that the service never requested into the simulator's ledger. No API request can create it. */
async function insertUnrequestedPayment(at: Date): Promise<void> {
  await query(`
    insert into simulator.authorizations
           (merchant, reference, amount, approved, currency, captured, state, captured_at)
    select merchant, gen_random_uuid(), 2500, 2500, 'usd', true, 'approved', '${at.toISOString()}'
      from (select merchant from simulator.authorizations limit 1) m`);
}

/** Records a restore before the reconciliation, so that the admin console lists the difference. */
async function insertRestore(): Promise<void> {
  await query(`
    insert into restores (restored_at, restored_to)
    values (now() - interval '1 minute', now() - interval '1 day')`);
}

/**
 * The number of calls of `createPayoutAndReconciliation` in this process. The values of the list entries contain this
 * number, because a value can be on a list only once.
 */
let round = 0;

export async function createPayoutAndReconciliation(): Promise<PayoutAndReconciliation> {
  round += 1;
  const visa = { amount: 48_000, currency: "usd", payment_method_id: "pm_card_visa" };
  await post("/charges", visa);
  await post("/charges", { ...visa, currency: "eur", amount: 7_300 });
  // The funds are available for payout after three days.
  await post("/test_helpers/clock/advance", { seconds: 3 * 24 * 60 * 60 });
  const payout = await post("/payouts", { amount: 20_000, currency: "usd" });
  for (const amount of [3_900, 12_500, 8_800]) {
    await post("/charges", { ...visa, amount, payment_method_id: "pm_card_riskLevelElevated" });
  }
  await post("/rules", {
    expression: "amount > 900000 && card_country != billing_country",
    outcome: "review",
    description: "Large amount, foreign card",
  });
  await post("/rules", {
    expression: "card_attempts_1h > 20",
    outcome: "decline",
    status: "disabled",
  });
  await post("/list_entries", {
    list: "block",
    attribute: "email",
    value: `eve${round}@example.com`,
    description: "Never paid for three orders",
  });
  await post("/list_entries", {
    list: "allow",
    attribute: "email_domain",
    value: `friends${round}.example`,
  });
  const paidAt = timeForReconciliation();
  await insertUnrequestedPayment(paidAt);
  const reconciliation = await post("/reconciliations", { day: dayOf(paidAt) });
  await insertRestore();
  return { payout: payout.id, reconciliation: reconciliation.id };
}
