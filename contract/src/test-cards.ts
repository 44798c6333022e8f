import type { CheckResult } from "./charge.ts";
import type { DeclineCode } from "./declines.ts";
import type { CardBrand, CardNetwork, Funding } from "./payment-method.ts";
import { threeDSecureFamily } from "./test-card-family.ts";
import type { ThreeDSecureBehavior } from "./test-card-three-d-secure.ts";

/**
 * Every card number of test mode and its behavior. The numbers and their meanings follow those of other payment APIs.
 * Live mode rejects them all, and test mode rejects every other number. The page docs/reference/test-cards.md is
 * generated from this table.
 */
export type TestCard = {
  readonly number: string;
  readonly group: TestCardGroup;
  /** The behavior, for the documentation. */
  readonly description: string;
  readonly brand: CardBrand;
  /** The domestic network that shares the card with the brand. */
  readonly coNetwork: CardNetwork | null;
  readonly funding: Funding;
  /** The issuer's country: ISO 3166-1 alpha-2. */
  readonly country: string;
  /** The decline code, or null if the issuer approves. */
  readonly declineCode: DeclineCode | null;
  readonly risk: "normal" | "elevated" | "highest" | "blocked";
  /** The issuer's result for a security code, an address line or a postal code. */
  readonly cvcCheck: CheckResult;
  readonly addressLine1Check: CheckResult;
  readonly postalCodeCheck: CheckResult;
  readonly threeDSecure: ThreeDSecureBehavior | null;
  /** The behavior after a successful charge: of later payments or refunds, or a dispute. */
  readonly afterwards: Afterwards | null;
};

export type TestCardGroup =
  | "success"
  | "decline"
  | "checks"
  | "risk"
  | "three_d_secure"
  | "three_d_secure_family"
  | "refund"
  | "dispute";

export type Afterwards =
  | "declines_once_saved"
  | "refund_is_pending_then_succeeds"
  | "refund_succeeds_then_fails"
  | "dispute_fraudulent"
  | "dispute_not_received"
  | "dispute_inquiry";

const plain = {
  brand: "visa",
  coNetwork: null,
  funding: "credit",
  country: "US",
  declineCode: null,
  risk: "normal",
  cvcCheck: "pass",
  addressLine1Check: "pass",
  postalCodeCheck: "pass",
  threeDSecure: null,
  afterwards: null,
} as const;

type Special = Partial<Omit<TestCard, "number" | "group" | "description">>;

function cards(
  group: TestCardGroup,
  rows: readonly (readonly [number: string, description: string, special?: Special])[],
): TestCard[] {
  return rows.map(([number, description, special]) => ({
    ...plain,
    ...special,
    number,
    group,
    description,
  }));
}

const challenge = { method: "none", areqOutcome: "C", challenge: "person_decides" } as const;
const challengeRequired = { need: "required", ...challenge } as const;

export const testCards: readonly TestCard[] = [
  ...cards("success", [
    ["4242424242424242", "Visa"],
    ["4000056655665556", "Visa, debit", { funding: "debit" }],
    ["5555555555554444", "Mastercard", { brand: "mastercard" }],
    ["2223003122003222", "Mastercard, 2-series", { brand: "mastercard" }],
    ["5200828282828210", "Mastercard, debit", { brand: "mastercard", funding: "debit" }],
    ["5105105105105100", "Mastercard, prepaid", { brand: "mastercard", funding: "prepaid" }],
    ["378282246310005", "American Express", { brand: "amex" }],
    ["371449635398431", "American Express", { brand: "amex" }],
    ["6011111111111117", "Discover", { brand: "discover" }],
    ["6011000990139424", "Discover", { brand: "discover" }],
    ["38000000000006", "Diners Club, 14 digits", { brand: "diners" }],
    ["3056930009020004", "Diners Club", { brand: "diners" }],
    ["3566002020360505", "JCB", { brand: "jcb", country: "JP" }],
    ["6200000000000005", "UnionPay", { brand: "unionpay", country: "CN" }],
    [
      "4000002500001001",
      "Cartes Bancaires and Visa: the customer may choose",
      { coNetwork: "cartes_bancaires", country: "FR" },
    ],
    [
      "5555552500001001",
      "Cartes Bancaires and Mastercard: the customer may choose",
      { brand: "mastercard", coNetwork: "cartes_bancaires", country: "FR" },
    ],
  ]),
  ...cards("decline", [
    ["4000000000000002", "Declined with no reason given", { declineCode: "generic_decline" }],
    ["4000000000009995", "Insufficient funds", { declineCode: "insufficient_funds" }],
    ["4000000000009987", "Lost card", { declineCode: "lost_card" }],
    ["4000000000009979", "Stolen card", { declineCode: "stolen_card" }],
    ["4000000000000069", "Expired card", { declineCode: "expired_card" }],
    ["4000000000000127", "Wrong CVC", { declineCode: "incorrect_cvc", cvcCheck: "fail" }],
    ["4000000000000119", "Processing error", { declineCode: "processing_error" }],
    ["4242424242424241", "Invalid check digit", { declineCode: "incorrect_number" }],
    ["4000000000006975", "Too many payments", { declineCode: "card_velocity_exceeded" }],
    [
      "4000000000000341",
      "The payment that saves the card succeeds. All other payments are declined",
      { declineCode: "generic_decline", afterwards: "declines_once_saved" },
    ],
  ]),
  ...cards("checks", [
    [
      "4000000000000101",
      "Approved, but the CVC check fails if a CVC is sent",
      { cvcCheck: "fail" },
    ],
    ["4000000000000036", "Approved, but the postal code check fails", { postalCodeCheck: "fail" }],
    [
      "4000000000000028",
      "Approved, but the check of address line 1 fails",
      { addressLine1Check: "fail" },
    ],
    [
      "4000000000000010",
      "Approved, but both address checks fail",
      { addressLine1Check: "fail", postalCodeCheck: "fail" },
    ],
    [
      "4000000000000044",
      "Approved, but the address checks are unavailable",
      { addressLine1Check: "unavailable", postalCodeCheck: "unavailable" },
    ],
  ]),
  ...cards("risk", [
    [
      "4100000000000019",
      "Highest risk, always declined",
      { risk: "blocked", declineCode: "fraudulent" },
    ],
    [
      "4000000000004954",
      "Highest risk, declined unless your rules or lists approve it",
      { risk: "highest" },
    ],
    ["4000000000009235", "Elevated risk. The payment is put in review", { risk: "elevated" }],
  ]),
  ...cards("three_d_secure", [
    [
      "4000002500003155",
      "Challenge required unless the card is saved",
      { country: "FR", threeDSecure: { need: "unless_saved", ...challenge } },
    ],
    [
      "4000002760003184",
      "Challenge always required",
      { country: "DE", threeDSecure: challengeRequired },
    ],
    [
      "4000003800000446",
      "Challenge required on-session, but not off-session after the card was saved",
      { country: "IT", threeDSecure: { need: "on_session", ...challenge } },
    ],
    [
      "4000008260003178",
      "Challenge required. After the challenge, declined for insufficient funds",
      { country: "GB", declineCode: "insufficient_funds", threeDSecure: challengeRequired },
    ],
    ["4000000000003220", "Challenge required", { threeDSecure: challengeRequired }],
    ["4000008400000027", "Challenge required", { threeDSecure: challengeRequired }],
    [
      "4000000032200000",
      "3-D Secure required, authenticated without a challenge",
      { threeDSecure: { need: "required", method: "none", areqOutcome: "Y", challenge: null } },
    ],
    [
      "4000008400001629",
      "Challenge required. After the challenge, declined with no reason given",
      { declineCode: "generic_decline", threeDSecure: challengeRequired },
    ],
    [
      "4000008400001280",
      "3-D Secure required, but the directory server does not find the card",
      {
        declineCode: "processing_error",
        threeDSecure: {
          need: "required",
          method: "none",
          areqOutcome: "look_up_fails",
          challenge: null,
        },
      },
    ],
    [
      "4000000000003055",
      "3-D Secure supported, but not required",
      { threeDSecure: { need: "supported", ...challenge } },
    ],
  ]),
  ...cards(
    "three_d_secure_family",
    threeDSecureFamily.map(({ number, description, threeDSecure }) => [
      number,
      description,
      { threeDSecure },
    ]),
  ),
  ...cards("refund", [
    [
      "4000000000007726",
      "Refunds stay pending, and succeed 30 seconds later",
      { afterwards: "refund_is_pending_then_succeeds" },
    ],
    [
      "4000000000005126",
      "Refunds succeed, and fail 30 seconds later",
      { afterwards: "refund_succeeds_then_fails" },
    ],
  ]),
  ...cards("dispute", [
    ["4000000000000259", "Disputed as fraudulent", { afterwards: "dispute_fraudulent" }],
    ["4000000000002685", "Disputed as not received", { afterwards: "dispute_not_received" }],
    ["4000000000001976", "Inquiry instead of a chargeback", { afterwards: "dispute_inquiry" }],
  ]),
];

const byNumber = new Map(testCards.map((card) => [card.number, card]));

export function findTestCard(number: string): TestCard | null {
  return byNumber.get(number) ?? null;
}
