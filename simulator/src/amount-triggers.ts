import type { DeclineCode } from "@florin/contract/declines.ts";
import type { ThreeDSecureBehavior } from "@florin/contract/test-card-three-d-secure.ts";
import type { TestCard } from "@florin/contract/test-cards.ts";
import type { Faults } from "./faults.ts";

/**
 * With a success card, an amount from 9000000 to 9009999 selects an outcome by its last four digits, so that a
 * merchant can test all outcomes with one card. docs/reference/test-cards.md lists them.
 */
export type AmountTrigger =
  | { readonly kind: "declines"; readonly declineCode: DeclineCode }
  | { readonly kind: "three_d_secure"; readonly threeDSecure: ThreeDSecureBehavior }
  | { readonly kind: "times_out"; readonly moneyMoved: boolean }
  | { readonly kind: "returns_invalid_response" }
  | { readonly kind: "responds_slowly" }
  | { readonly kind: "pending"; readonly becomes: "approved" | "declined" }
  | {
      readonly kind: "notification";
      readonly delivery: "twice" | "out_of_order" | "before_the_response";
    }
  /** Applies these faults to the authorization. */
  | { readonly kind: "fault"; readonly faults: Faults }
  | { readonly kind: "capture_fails" }
  | { readonly kind: "approves_half" };

export type TriggerRow = {
  readonly digits: string;
  readonly description: string;
  readonly trigger: AmountTrigger;
};

const declines = (digits: string, declineCode: DeclineCode): TriggerRow => ({
  digits,
  description: `Declined: \`${declineCode}\``,
  trigger: { kind: "declines", declineCode },
});

const authenticates = (
  digits: string,
  description: string,
  areqOutcome: ThreeDSecureBehavior["areqOutcome"],
  challenge: ThreeDSecureBehavior["challenge"] = null,
): TriggerRow => ({
  digits,
  description: `3-D Secure: ${description}`,
  trigger: {
    kind: "three_d_secure",
    threeDSecure: { need: "required", method: "none", areqOutcome, challenge },
  },
});

const row = (digits: string, description: string, trigger: AmountTrigger): TriggerRow => ({
  digits,
  description,
  trigger,
});

export const amountTriggers: readonly TriggerRow[] = [
  declines("2001", "do_not_honor"),
  declines("2051", "insufficient_funds"),
  declines("2054", "expired_card"),
  declines("2041", "lost_card"),
  declines("2043", "stolen_card"),
  declines("2059", "fraudulent"),
  declines("2061", "card_velocity_exceeded"),
  declines("2065", "authentication_required"),
  declines("2091", "issuer_not_available"),
  declines("2096", "processing_error"),
  // All other decline codes that an issuer can return. The last four digits are 20 and the value of ISO 8583 field 39,
  // if that value has two digits.
  declines("2002", "call_issuer"),
  declines("2004", "pickup_card"),
  declines("2012", "transaction_not_allowed"),
  declines("2013", "invalid_amount"),
  declines("2014", "incorrect_number"),
  declines("2019", "reenter_transaction"),
  declines("2021", "no_action_taken"),
  declines("2040", "service_not_allowed"),
  declines("2046", "invalid_account"),
  declines("2055", "incorrect_pin"),
  declines("2057", "not_permitted"),
  declines("2058", "card_not_supported"),
  declines("2060", "approve_with_id"),
  declines("2062", "restricted_card"),
  declines("2063", "security_violation"),
  declines("2075", "pin_try_exceeded"),
  declines("2079", "new_account_information_available"),
  declines("2082", "incorrect_cvc"),
  declines("2085", "try_again_later"),
  declines("2094", "duplicate_transaction"),
  declines("2100", "generic_decline"),
  declines("2103", "do_not_try_again"),
  declines("2110", "stop_payment_order"),
  declines("2111", "revocation_of_authorization"),
  declines("2113", "revocation_of_all_authorizations"),
  declines("2120", "currency_not_supported"),
  declines("2130", "incorrect_address"),
  declines("2131", "incorrect_zip"),
  declines("2140", "invalid_card_type"),
  declines("2150", "offline_pin_required"),
  declines("2151", "online_or_offline_pin_required"),
  declines("2155", "invalid_pin"),
  declines("2165", "withdrawal_count_limit_exceeded"),
  authenticates("3001", "challenge", "C", "person_decides"),
  authenticates("3002", "authenticated without a challenge", "Y"),
  authenticates("3003", "attempted", "A"),
  authenticates("3004", "challenge fails", "C", "fails"),
  authenticates("3005", "the directory server times out", "times_out"),
  row(
    "4001",
    "The acquirer approves, but its response times out. A status inquiry finds the approval",
    {
      kind: "times_out",
      moneyMoved: true,
    },
  ),
  row("4002", "The acquirer times out without processing the request", {
    kind: "times_out",
    moneyMoved: false,
  }),
  row("4003", "The acquirer returns an invalid response and does not process the request", {
    kind: "returns_invalid_response",
  }),
  row("4004", "The acquirer responds after 15 seconds", { kind: "responds_slowly" }),
  row("4005", "The charge is pending, and succeeds after 30 seconds", {
    kind: "pending",
    becomes: "approved",
  }),
  row("4006", "The charge is pending, and fails after 30 seconds", {
    kind: "pending",
    becomes: "declined",
  }),
  row(
    "4007",
    "The acquirer approves, but resets the connection. A status inquiry finds the approval",
    {
      kind: "fault",
      faults: { reset: true },
    },
  ),
  row(
    "4008",
    "The acquirer responds with the reference of another payment. A status inquiry finds the approval of the right payment",
    {
      kind: "fault",
      faults: { otherReference: true },
    },
  ),
  row(
    "4009",
    'The request reaches the acquirer only after a status inquiry has returned "not found"',
    {
      kind: "fault",
      faults: { arriveAfterNotFound: true },
    },
  ),
  row("5001", "The acquirer's notification is sent twice", {
    kind: "notification",
    delivery: "twice",
  }),
  row("5002", "The acquirer's notifications arrive out of order", {
    kind: "notification",
    delivery: "out_of_order",
  }),
  row("5003", "The acquirer's notification arrives before its response", {
    kind: "notification",
    delivery: "before_the_response",
  }),
  row("6001", "The authorization is approved, but its capture fails", { kind: "capture_fails" }),
  row(
    "6002",
    "The acquirer approves half the amount. Florin reverses the approval and declines the charge with `insufficient_funds`",
    { kind: "approves_half" },
  ),
];

const firstTriggerAmount = 9_000_000;
const lastTriggerAmount = 9_009_999;

const byAmount = new Map(
  amountTriggers.map(({ digits, trigger }) => [firstTriggerAmount + Number(digits), trigger]),
);

export function findAmountTrigger(card: TestCard, amountMinor: number): AmountTrigger | null {
  if (amountMinor < firstTriggerAmount || amountMinor > lastTriggerAmount) return null;
  return card.group === "success" ? (byAmount.get(amountMinor) ?? null) : null;
}

/** Returns the amount trigger with the same effect as a fault, or null. */
export function triggerOf({ otherAmount, rejectLate }: Faults): AmountTrigger | null {
  if (otherAmount) return { kind: "approves_half" };
  return rejectLate ? { kind: "pending", becomes: "declined" } : null;
}
