import Type, { type Static } from "typebox";
import { amount, amountToCharge, amountToMove, currency } from "./amount.ts";
import { type DeclineCode, declineCodes } from "./declines.ts";
import type { CardErrorCode } from "./errors.ts";
import { id, idParameter } from "./ids.ts";
import { amountFilter, downloadQuery, listQuery, oneOrMore } from "./list.ts";
import { metadata, metadataChange, metadataFilter } from "./metadata.ts";
import { nullable } from "./nullable.ts";
import { objectFacts, unixTime, version } from "./object-facts.ts";
import { cardBrands, cardFacts } from "./payment-method.ts";
import { controls, text, unwritable } from "./text.ts";
import { returnAddress } from "./web-address.ts";

export const chargeStatuses = [
  "processing",
  "requires_action",
  "authorized",
  "succeeded",
  "failed",
  "canceled",
] as const;
export type ChargeStatus = (typeof chargeStatuses)[number];

export const pendingReasons = ["acquirer_processing", "outcome_unknown", "manual_review"] as const;
export type PendingReason = (typeof pendingReasons)[number];

export const captureMethods = ["automatic", "manual"] as const;
export type CaptureMethod = (typeof captureMethods)[number];

export const riskLevels = ["normal", "elevated", "highest"] as const;
export type RiskLevel = (typeof riskLevels)[number];

const checkResults = ["pass", "fail", "unavailable", "unchecked"] as const;
const check = (what: string) =>
  nullable(
    Type.Enum([...checkResults], {
      description: `${what}; null where there was nothing to check.`,
    }),
  );

export function captureMethod() {
  return Type.Enum([...captureMethods], {
    default: "automatic",
    description: "`automatic` takes the money at once, `manual` holds it until you capture.",
  });
}

/** The customer's next step, in one format for charges and for the card form. */
export const NextAction = Type.Object(
  {
    type: Type.Literal("redirect", { description: "Always `redirect`." }),
    url: nullable(
      Type.String({
        description:
          "Send the customer here. The page is the service's own, and the address holds its secret: `null` in events and for credentials without `payments:write`.",
        examples: ["https://pay.example/challenge/…#…"],
      }),
    ),
    expires_at: unixTime(
      "When the charge fails with `authentication_timed_out` if the customer has not begun by then",
    ),
  },
  { description: "What the customer has to do next." },
);
export type NextAction = Static<typeof NextAction>;

/** The result of 3-D Secure (EMV 3-D Secure 2.2.0). */
export const ThreeDSecure = Type.Object(
  {
    version: Type.String({ description: "The protocol's version, such as `2.2.0`." }),
    result: Type.Enum(
      [
        "authenticated",
        "attempted",
        "informational",
        "failed",
        "rejected",
        "unavailable",
        "canceled",
        "timed_out",
      ],
      { description: "How it ended." },
    ),
    flow: nullable(
      Type.Enum(["frictionless", "challenge"], { description: "Whether the customer was asked." }),
    ),
    eci: nullable(
      Type.String({ description: "Electronic commerce indicator, as the network defines it." }),
    ),
    liability_shift: Type.Boolean({ description: "Whether the issuer bears the loss of a fraud." }),
    trans_status: nullable(
      Type.String({ description: "The bank's own letter: Y, N, A, R, U, I or C." }),
    ),
    ds_transaction_id: nullable(
      Type.String({ description: "The directory server's id of the authentication." }),
    ),
  },
  { description: "How 3-D Secure went." },
);
export type ThreeDSecure = Static<typeof ThreeDSecure>;

const PaymentMethodDetails = Type.Object(
  {
    type: Type.Literal("card", { description: "Always `card`." }),
    card: Type.Object(
      {
        ...cardFacts,
        checks: Type.Object(
          {
            cvc_check: check("Whether the security code was right"),
            address_line1_check: check("Whether the first line of the address was right"),
            address_postal_code_check: check("Whether the postal code was right"),
          },
          { description: "What the issuer said of the data given with the card." },
        ),
        three_d_secure: nullable(ThreeDSecure),
      },
      { description: "The card at the time of the charge." },
    ),
  },
  { description: "The payment method as it was at the time of the charge." },
);

const Outcome = Type.Object(
  {
    network_status: nullable(
      Type.Enum(["approved_by_network", "declined_by_network", "not_sent_to_network"], {
        description: "What the card network did; null while it is not known.",
      }),
    ),
    risk_level: Type.Enum([...riskLevels], { description: "How risky the payment looked." }),
    risk_score: Type.Integer({ minimum: 0, maximum: 100, description: "The same as a number." }),
    decision: Type.Enum(["approve", "challenge", "review", "decline"], {
      description: "What was decided before it was charged.",
    }),
    reasons: Type.Array(Type.String(), { description: "What spoke for or against it." }),
    matched_rules: Type.Array(Type.String(), { description: "The rules that held." }),
    reason: nullable(
      Type.String({
        description: "Why it was declined or held: a decline code or a decision's rule.",
      }),
    ),
    advice_code: nullable(
      Type.Enum(["confirm_card_data", "try_again_later", "do_not_try_again"], {
        description: "What the card network advises after a decline.",
      }),
    ),
    network_decline_code: nullable(Type.String({ description: "The network's own word for it." })),
  },
  { description: "Why the charge went as it did." },
);

/** One attempt to take money from a card. */
export const Charge = Type.Object(
  {
    ...objectFacts("ch", "charge"),
    version: version(),
    amount: amount("What was asked for."),
    amount_captured: amount("What was taken."),
    amount_refunded: amount("What was given back, or is on its way."),
    amount_disputed: amount("What disputes took that are open or lost."),
    currency: currency(),
    status: Type.Enum([...chargeStatuses], { description: "Where the charge stands." }),
    pending_reason: nullable(
      Type.Enum([...pendingReasons], {
        description:
          "Why it is still `processing`, or `authorized` while it is being captured or canceled. Never charge again because of `outcome_unknown`.",
      }),
    ),
    capture_method: captureMethod(),
    capture_before: nullable(unixTime("Until when an authorised charge can be captured")),
    customer_id: nullable(id("cus", "The customer who pays.")),
    payment_method_id: id("pm", "The payment method that was charged."),
    payment_method_details: PaymentMethodDetails,
    decision_id: id("dec", "The decision that explains the charge."),
    checkout_session_id: nullable(id("cs", "The checkout session it belongs to.")),
    client_reference_id: nullable(
      Type.String({
        description: "Your own id for the order: the charge's own, or its checkout session's.",
      }),
    ),
    description: nullable(Type.String({ description: "Your own words for it." })),
    statement_descriptor: nullable(
      Type.String({ description: "What the cardholder reads on the statement." }),
    ),
    off_session: Type.Boolean({ description: "Whether the customer was absent." }),
    metadata: metadata(),
    decline_code: nullable(
      Type.Unsafe<DeclineCode>(
        Type.Enum(Object.keys(declineCodes), { description: "Why the card was declined." }),
      ),
    ),
    failure_code: nullable(
      Type.Unsafe<CardErrorCode>(
        Type.String({ description: "The `error.code` of the failure, such as `card_declined`." }),
      ),
    ),
    failure_message: nullable(
      Type.String({ description: "The failure in words that may be shown to the customer." }),
    ),
    outcome: Outcome,
    refunded: Type.Boolean({ description: "Whether all of it was given back." }),
    disputed: Type.Boolean({ description: "Whether the cardholder disputes it." }),
    next_action: nullable(NextAction),
    balance_transaction_id: nullable(
      id("txn", "The entry in the balance, once the money was taken."),
    ),
    return_url: nullable(
      Type.String({ description: "Where the customer comes back to after 3-D Secure." }),
    ),
  },
  { description: "One attempt to take money from a card." },
);
export type Charge = Static<typeof Charge>;

export function description() {
  return text(1000, "Your own words for it; the customer may read them.");
}

export const CreateCharge = Type.Object(
  {
    amount: amountToCharge("What to take."),
    currency: currency(),
    payment_method_id: idParameter("pm", "What to charge."),
    decision_id: Type.Optional(
      idParameter(
        "dec",
        "A decision on exactly this amount, currency and payment method. Without it the service makes its own.",
      ),
    ),
    capture_method: Type.Optional(captureMethod()),
    customer_id: Type.Optional(idParameter("cus", "The customer who pays.")),
    client_reference_id: Type.Optional(text(200, "Your own id for the order.")),
    description: Type.Optional(description()),
    statement_descriptor: Type.Optional(
      Type.String({
        minLength: 5,
        maxLength: 22,
        // Control characters are rejected too, because the text goes into messages to the acquirer.
        pattern: `^ *[^<>\\\\'"*\\s${controls}${unwritable}][^<>\\\\'"*${controls}${unwritable}]*$`,
        "x-florin": "characters",
        description:
          "What the cardholder reads on the statement: 5 to 22 characters without < > \\ ' \" and *.",
      }),
    ),
    off_session: Type.Optional(
      Type.Boolean({
        description: "True when the customer is absent and cannot be asked anything.",
      }),
    ),
    return_url: Type.Optional(returnAddress("Where the customer comes back to after 3-D Secure.")),
    metadata: Type.Optional(metadata()),
  },
  { additionalProperties: false },
);
export type CreateCharge = Static<typeof CreateCharge>;

export const UpdateCharge = Type.Object(
  {
    description: Type.Optional(nullable(description())),
    metadata: Type.Optional(metadataChange()),
  },
  { additionalProperties: false },
);
export type UpdateCharge = Static<typeof UpdateCharge>;

export const CaptureCharge = Type.Object(
  {
    amount: Type.Optional(
      amountToMove("What to take; the whole, when left out. The rest is let go."),
    ),
  },
  { additionalProperties: false },
);
export type CaptureCharge = Static<typeof CaptureCharge>;

/** The filters of the list of charges, which are combined with AND. */
export const chargeFilters = {
  status: oneOrMore(chargeStatuses, "Only those in this status."),
  amount: amountFilter(),
  currency: Type.Optional(currency()),
  customer_id: Type.Optional(idParameter("cus", "Only those of this customer.")),
  customer_email: Type.Optional(
    text(254, "Only those whose payer, or whose customer, has this email address."),
  ),
  payment_method_id: Type.Optional(idParameter("pm", "Only those of this payment method.")),
  checkout_session_id: Type.Optional(idParameter("cs", "Only those of this checkout session.")),
  client_reference_id: Type.Optional(
    text(200, "Only charges with this `client_reference_id`, their own or their session's."),
  ),
  brand: oneOrMore(cardBrands, "Only those paid with a card of this network."),
  last4: Type.Optional(
    Type.String({
      pattern: "^[0-9]{4}$",
      description: "Only those whose card number ends in these four digits.",
    }),
  ),
  decline_code: oneOrMore(
    Object.keys(declineCodes) as DeclineCode[],
    "Only those that were declined for this reason.",
  ),
  refunded: Type.Optional(Type.Boolean({ description: "Whether all of it was given back." })),
  disputed: Type.Optional(Type.Boolean({ description: "Whether the cardholder disputes it." })),
  metadata: Type.Optional(metadataFilter()),
};

export const ListCharges = listQuery(chargeFilters);
export type ListCharges = Static<typeof ListCharges>;

export const DownloadCharges = downloadQuery(chargeFilters);
export type DownloadCharges = Static<typeof DownloadCharges>;
