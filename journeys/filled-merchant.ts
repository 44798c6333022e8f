import { florin } from "./running-florin.ts";

/** What a merchant has who has been at it for a while, for pages that would be empty otherwise. */
export type Filled = {
  readonly refunded: string;
  readonly declined: string;
  readonly held: string;
  /** The operator's one-time link, below `/dashboard`. */
  readonly setUp: string;
};

const cards = [
  "pm_card_visa",
  "pm_card_mastercard",
  "pm_card_amex",
  "pm_card_visa",
  "pm_card_visa_chargeDeclinedInsufficientFunds",
];
const things = ["Moon vase", "Morning cup", "Ash bowl", "Two plates", "Tea pot"];

type Made = { readonly id: string };

/** Fills the demo's merchant through the public API, and names a few of the things that came of it. */
export async function fillMerchant(): Promise<Filled> {
  for (let number = 0; number < 30; number += 1) {
    await charge({
      amount: 900 + ((number * 1_733) % 18_000),
      payment_method_id: cards[number % cards.length] as string,
      description: things[number % things.length] as string,
      metadata: { order: String(1000 + number) },
    });
  }
  const refunded = await charge({ amount: 9_600, description: "Moon vase" });
  await florin.api("POST", "/refunds", {
    charge_id: refunded,
    amount: 2_500,
    reason: "requested_by_customer",
  });
  const disputed = await charge({ amount: 4_400, description: "Ash bowl" });
  await florin.api("POST", "/test_helpers/disputes", { charge_id: disputed });
  return {
    refunded,
    declined: await charge({ amount: 5_200, payment_method_id: "pm_card_visa_chargeDeclined" }),
    held: await charge({ amount: 12_000, capture_method: "manual" }),
    setUp: (florin.operatorSetupUrl ?? "/operator/set-up").replace(/^.*\/dashboard/, ""),
  };
}

/** The id of a charge, also of one that was declined: it exists all the same. */
async function charge(facts: object): Promise<string> {
  const body = { currency: "usd", payment_method_id: "pm_card_visa", ...facts };
  try {
    return (await florin.api<Made>("POST", "/charges", body)).id;
  } catch (error) {
    const [, id] = /"charge":"(ch_\w+)"/.exec(String(error)) ?? [];
    if (!id) throw error;
    return id;
  }
}
