import {
  createPayoutAndReconciliation,
  type PayoutAndReconciliation,
} from "./create-payout-and-reconciliation.ts";
import { insertApprovalRates } from "./insert-approval-rates.ts";
import { florin } from "./running-florin.ts";

/** The IDs of objects that the dashboard's pages show. */
export type MerchantObjects = PayoutAndReconciliation & {
  readonly refunded: string;
  readonly declined: string;
  readonly held: string;
  readonly refund: string;
  readonly dispute: string;
  readonly customer: string;
  readonly session: string;
  readonly decision: string;
  readonly endpoint: string;
  readonly delivery: string;
  readonly account: string;
  /** The path of the operator's one-time link, below `/dashboard`. */
  readonly setUp: string;
  /** The path of the link to the demo inbox, below `/dashboard`. */
  readonly inbox: string;
};

const cards = [
  "pm_card_visa",
  "pm_card_mastercard",
  "pm_card_amex",
  "pm_card_visa",
  "pm_card_visa_chargeDeclinedInsufficientFunds",
];
const descriptions = ["Moon vase", "Morning cup", "Ash bowl", "Two plates", "Tea pot"];

type Created = { readonly id: string };

/** Creates objects for the demo's merchant through the public API. Returns the IDs for the pages' paths. */
export async function fillMerchant(): Promise<MerchantObjects> {
  const money = await createPayoutAndReconciliation();
  for (let number = 0; number < 30; number += 1) {
    await charge({
      amount: 900 + ((number * 1_733) % 18_000),
      payment_method_id: cards[number % cards.length] as string,
      description: descriptions[number % descriptions.length] as string,
      metadata: { order: String(1000 + number) },
    });
  }
  const refunded = await charge({ amount: 9_600, description: "Moon vase" });
  const refund = await florin.api<Created>("POST", "/refunds", {
    charge_id: refunded,
    amount: 2_500,
    reason: "requested_by_customer",
  });
  const disputed = await charge({ amount: 4_400, description: "Ash bowl" });
  const dispute = await florin.api<Created>("POST", "/test_helpers/disputes", {
    charge_id: disputed,
  });
  const customer = await florin.api<Created>("POST", "/customers", {
    email: "ada@example.com",
    name: "Ada Lovelace",
  });
  const { session } = await florin.api<{ session: Created }>("POST", "/checkout_sessions", {
    currency: "usd",
    customer_id: customer.id,
    line_items: [{ name: "Moon vase", quantity: 2, amount: 4_800 }],
  });
  const reviewed = await florin.api<{ decision_id: string }>("POST", "/charges", {
    amount: 5_900,
    currency: "usd",
    payment_method_id: "pm_card_riskLevelElevated",
  });
  const endpoint = await firstOf("/webhook_endpoints");
  const account = await florin.api<Created>("GET", "/account");
  await insertApprovalRates(account.id);
  return {
    ...money,
    refunded,
    refund: refund.id,
    dispute: dispute.id,
    declined: await charge({ amount: 5_200, payment_method_id: "pm_card_visa_chargeDeclined" }),
    held: await charge({ amount: 12_000, capture_method: "manual" }),
    customer: customer.id,
    session: session.id,
    decision: reviewed.decision_id,
    endpoint,
    delivery: await firstOf(`/webhook_endpoints/${endpoint}/deliveries`),
    account: account.id,
    inbox: florin.inboxUrl.replace(/^.*\/dashboard/, ""),
    setUp: (florin.operatorSetupUrl ?? "/operator/set-up").replace(/^.*\/dashboard/, ""),
  };
}

async function firstOf(path: string): Promise<string> {
  const { data } = await florin.api<{ data: Created[] }>("GET", `${path}?limit=1`);
  if (!data[0]) throw new Error(`${path} returned an empty list`);
  return data[0].id;
}

/** Creates a charge and returns its ID, even if the charge is declined. */
async function charge(params: object): Promise<string> {
  const body = { currency: "usd", payment_method_id: "pm_card_visa", ...params };
  try {
    return (await florin.api<Created>("POST", "/charges", body)).id;
  } catch (error) {
    const [, id] = /"charge":"(ch_\w+)"/.exec(String(error)) ?? [];
    if (!id) throw error;
    return id;
  }
}
