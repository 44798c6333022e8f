/** A decline with the error code, and the issuer's decline code if an issuer declined (docs.stripe.com/testing). */
export type TestDecline = {
  readonly code: string;
  readonly declineCode: string | null;
  /** The network's code. Stripe documents no network codes for its test cards, so these are examples. */
  readonly networkDeclineCode: string | null;
};

export type TestCard = {
  readonly decline: TestDecline | null;
  /** `required`: the issuer requires 3-D Secure if the cardholder is present. `always`: for every payment. */
  readonly authentication: "none" | "required" | "always";
  readonly checks: {
    readonly cvc: "pass" | "fail";
    readonly line1: "pass" | "fail";
    readonly postalCode: "pass" | "fail";
  };
  readonly refund: "succeeds" | "pending" | "fails_later";
  readonly dispute: "fraudulent" | "product_not_received" | "inquiry" | null;
};

const approved: TestCard = {
  decline: null,
  authentication: "none",
  checks: { cvc: "pass", line1: "pass", postalCode: "pass" },
  refund: "succeeds",
  dispute: null,
};

const declined = (
  code: string,
  declineCode: string | null = null,
  networkDeclineCode: string | null = null,
): TestCard => ({ ...approved, decline: { code, declineCode, networkDeclineCode } });

/** The test cards of docs.stripe.com/testing. Every other card is approved. */
const testCards: Readonly<Record<string, TestCard>> = {
  "4000000000000002": declined("card_declined", "generic_decline", "05"),
  "4000000000009995": declined("card_declined", "insufficient_funds", "51"),
  "4000000000009987": declined("card_declined", "lost_card", "41"),
  "4000000000009979": declined("card_declined", "stolen_card", "43"),
  "4000000000006975": declined("card_declined", "card_velocity_exceeded", "61"),
  "4000000000000069": declined("expired_card"),
  "4000000000000127": declined("incorrect_cvc"),
  "4000000000000119": declined("processing_error"),
  "4100000000000019": declined("card_declined", "fraudulent"),
  "4000002500003155": { ...approved, authentication: "required" },
  "4000002760003184": { ...approved, authentication: "always" },
  "4000000000003220": { ...approved, authentication: "required" },
  "4000008400001629": {
    ...declined("card_declined", "generic_decline", "05"),
    authentication: "required",
  },
  "4000000000000101": { ...approved, checks: { ...approved.checks, cvc: "fail" } },
  "4000000000000028": { ...approved, checks: { ...approved.checks, line1: "fail" } },
  "4000000000000036": { ...approved, checks: { ...approved.checks, postalCode: "fail" } },
  "4000000000007726": { ...approved, refund: "pending" },
  "4000000000005126": { ...approved, refund: "fails_later" },
  "4000000000000259": { ...approved, dispute: "fraudulent" },
  "4000000000002685": { ...approved, dispute: "product_not_received" },
  "4000000000001976": { ...approved, dispute: "inquiry" },
};

export function testCardOf(number: string): TestCard {
  return testCards[number] ?? approved;
}

const brands: readonly (readonly [RegExp, string])[] = [
  [/^4/, "visa"],
  [/^(5[1-5]|2[2-7])/, "mastercard"],
  [/^3[47]/, "amex"],
  [/^(6011|64[4-9]|65)/, "discover"],
  [/^35/, "jcb"],
  [/^3[068]/, "diners"],
  [/^62/, "unionpay"],
];

export function brandOf(number: string): string {
  return brands.find(([range]) => range.test(number))?.[1] ?? "unknown";
}
