import { query } from "./database.ts";
import { florin } from "./running-florin.ts";

/** What came of payments, and what is decided of them, for the pages that show it. */
export type FilledMoney = { readonly payout: string; readonly reconciliation: string };

type Made = { readonly id: string };
const post = (path: string, body: object) => florin.api<Made>("POST", path, body);

const hourMs = 60 * 60 * 1000;
const dayOf = (time: Date) => time.toISOString().slice(0, 10);

/** Two hours ago, for what is newer may still be on its way; where that was yesterday, so long before midnight. */
function earlier(): Date {
  const now = new Date();
  const twoHoursAgo = new Date(now.getTime() - 2 * hourMs);
  if (dayOf(twoHoursAgo) === dayOf(now)) return twoHoursAgo;
  return new Date(Date.parse(dayOf(now)) - 12 * hourMs);
}

/** The acquirer took money that nobody asked for: what no way through the API leads to. */
async function takeUnasked(at: Date): Promise<void> {
  await query(`
    insert into simulator.authorizations
           (merchant, reference, amount, approved, currency, captured, state, captured_at)
    select merchant, gen_random_uuid(), 2500, 2500, 'usd', true, 'approved', '${at.toISOString()}'
      from (select merchant from simulator.authorizations limit 1) m`);
}

/** So that a second round in one process puts nothing on a list that is there already. */
let round = 0;

export async function fillMoney(): Promise<FilledMoney> {
  round += 1;
  const visa = { amount: 48_000, currency: "usd", payment_method_id: "pm_card_visa" };
  await post("/charges", visa);
  await post("/charges", { ...visa, currency: "eur", amount: 7_300 });
  // Settled, and so to be paid out.
  await post("/test_helpers/clock/advance", { seconds: 3 * 24 * 60 * 60 });
  const payout = await post("/payouts", { amount: 20_000, currency: "usd" });
  for (const amount of [3_900, 12_500, 8_800]) {
    await post("/charges", { ...visa, amount, payment_method_id: "pm_card_riskLevelElevated" });
  }
  await post("/rules", {
    expression: "amount > 900000 && card_country != billing_country",
    outcome: "review",
    description: "Large, and from elsewhere",
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
  const taken = earlier();
  await takeUnasked(taken);
  const reconciliation = await post("/reconciliations", { day: dayOf(taken) });
  return { payout: payout.id, reconciliation: reconciliation.id };
}
