import Type, { type Static } from "typebox";
import { amount, amountToCharge, amountToMove, currency } from "./amount.ts";
import { type DeclineCode, declineCodes } from "./declines.ts";
import { displayStatuses } from "./display-status.ts";
import { cardErrorCodes } from "./errors.ts";
import { id, idParameter } from "./ids.ts";
import { amountFilter, downloadQuery, listQuery, oneOrMore } from "./list.ts";
import { metadata, metadataChange, metadataFilter } from "./metadata.ts";
import { nullable } from "./nullable.ts";
import { objectFields, unixTime, version } from "./object-fields.ts";
import { cardBrands, cardFields } from "./payment-method.ts";
import { blank, controls, text, unwritable } from "./text.ts";
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
/** The issuer's result of checking a security code, an address line or a postal code. */
export type CheckResult = (typeof checkResults)[number];
const check = (what: string) =>
  nullable(
    Type.Enum([...checkResults], {
      description: `${what}. Null if there was nothing to check.`,
    }),
  );

export function captureMethod() {
  return Type.Enum([...captureMethods], {
    default: "automatic",
    description:
      "`automatic` captures with the authorization. `manual` holds the amount until you capture it.",
  });
}

/** The customer's next step, in one format for charges and for the card form. */
export const NextAction = Type.Object(
  {
    type: Type.Literal("redirect", { description: "Always `redirect`." }),
    url: nullable(
      Type.String({
        description:
          "URL of a page of the service, to which you redirect the customer. The URL contains a secret, so it is `null` in events and for credentials without `payments:write`.",
        examples: ["https://pay.example/challenge/…#…"],
      }),
    ),
    expires_at: unixTime(
      "Time at which the charge fails with `authentication_timed_out` unless the customer has started the authentication by then",
    ),
  },
  { description: "Next action for the customer." },
);
export type NextAction = Static<typeof NextAction>;

/** The result of 3-D Secure (EMV 3-D Secure 2.2.0). */
export const ThreeDSecure = Type.Object(
  {
    version: Type.String({ description: "Version of the protocol, such as `2.2.0`." }),
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
      { description: "Result of the authentication." },
    ),
    flow: nullable(
      Type.Enum(["frictionless", "challenge"], {
        description:
          "`frictionless`, or `challenge` if the issuer required input from the customer.",
      }),
    ),
    eci: nullable(
      Type.String({ description: "Electronic commerce indicator, as the network defines it." }),
    ),
    liability_shift: Type.Boolean({ description: "True if the issuer is liable for fraud." }),
    trans_status: nullable(
      Type.String({
        description: "Transaction status of the issuer's ACS: Y, N, A, R, U, I or C.",
      }),
    ),
    ds_transaction_id: nullable(
      Type.String({ description: "Directory server's ID of the authentication." }),
    ),
  },
  { description: "Result of 3-D Secure." },
);
export type ThreeDSecure = Static<typeof ThreeDSecure>;

const PaymentMethodDetails = Type.Object(
  {
    type: Type.Literal("card", { description: "Always `card`." }),
    card: Type.Object(
      {
        ...cardFields,
        checks: Type.Object(
          {
            cvc_check: check("Result of the security code check"),
            address_line1_check: check("Result of the check of the address's first line"),
            address_postal_code_check: check("Result of the postal code check"),
          },
          { description: "Results of the issuer's checks of the card data." },
        ),
        three_d_secure: nullable(ThreeDSecure),
      },
      { description: "The card at the time of the charge." },
    ),
  },
  { description: "The payment method at the time of the charge." },
);

const Outcome = Type.Object(
  {
    network_status: nullable(
      Type.Enum(["approved_by_network", "declined_by_network", "not_sent_to_network"], {
        description: "Outcome at the card network. Null while it is unknown.",
      }),
    ),
    risk_level: Type.Enum([...riskLevels], { description: "Risk level of the payment." }),
    risk_score: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: "Risk score of the payment, from 0 to 100.",
    }),
    decision: Type.Enum(["approve", "challenge", "review", "decline"], {
      description: "Outcome of the decision before the charge.",
    }),
    reasons: Type.Array(Type.String(), { description: "Reasons for the decision." }),
    matched_rules: Type.Array(Type.String(), { description: "Rules that matched." }),
    reason: nullable(
      Type.String({
        description:
          "Decline code of a failed charge. For other charges, the first of the `reasons` if the decision did not approve the payment.",
      }),
    ),
    advice_code: nullable(
      Type.Enum(["confirm_card_data", "try_again_later", "do_not_try_again"], {
        description: "Advice of the card network after a decline.",
      }),
    ),
    network_decline_code: nullable(Type.String({ description: "Decline code of the network." })),
  },
  { description: "Explanation of the outcome." },
);

/** An attempt to collect an amount from a card. */
export const Charge = Type.Object(
  {
    ...objectFields("ch", "charge"),
    version: version(),
    amount: amount("Amount requested."),
    amount_captured: amount("Amount captured."),
    amount_refunded: amount("Amount refunded, including pending refunds."),
    amount_disputed: amount("Amount of open and lost disputes."),
    currency: currency(),
    status: Type.Enum([...chargeStatuses], { description: "Status of the charge." }),
    pending_reason: nullable(
      Type.Enum([...pendingReasons], {
        description:
          "Reason why the charge is still `processing`, or `authorized` during a capture or a cancellation. Never charge again because of `outcome_unknown`.",
      }),
    ),
    reversal_pending: Type.Boolean({
      description:
        "True while the acquirer reverses a `processing` charge. The charge can no longer succeed, and becomes `failed` when the acquirer confirms the reversal.",
    }),
    capture_method: captureMethod(),
    capture_before: nullable(unixTime("Time until which an authorized charge can be captured")),
    customer_id: nullable(id("cus", "Customer who pays.")),
    payment_method_id: id("pm", "Payment method that was charged."),
    payment_method_details: PaymentMethodDetails,
    decision_id: id("dec", "Decision on which the charge is based."),
    checkout_session_id: nullable(id("cs", "Checkout session of the charge.")),
    client_reference_id: nullable(
      Type.String({
        description: "Your order ID, from the charge or from its checkout session.",
      }),
    ),
    description: nullable(Type.String({ description: "Your description of the charge." })),
    statement_descriptor: nullable(
      Type.String({ description: "Text on the cardholder's statement." }),
    ),
    off_session: Type.Boolean({ description: "True if the customer was absent." }),
    metadata: metadata(),
    decline_code: nullable(
      Type.Unsafe<DeclineCode>(
        Type.Enum(Object.keys(declineCodes), { description: "Reason for the decline." }),
      ),
    ),
    failure_code: nullable(
      Type.Enum(cardErrorCodes, {
        description: "`error.code` of the failure, such as `card_declined`.",
      }),
    ),
    failure_message: nullable(
      Type.String({ description: "Message about the failure that may be shown to the customer." }),
    ),
    outcome: Outcome,
    refunded: Type.Boolean({ description: "True if the charge is fully refunded." }),
    disputed: Type.Boolean({ description: "True if the cardholder has disputed the charge." }),
    next_action: nullable(NextAction),
    balance_transaction_id: nullable(
      id("txn", "Balance transaction of the charge, once it is captured."),
    ),
    failure_balance_transaction_id: nullable(
      id(
        "txn",
        "Balance transaction that took the amount back after a late failure of the capture.",
      ),
    ),
    return_url: nullable(
      Type.String({ description: "URL to which the customer returns after 3-D Secure." }),
    ),
  },
  { description: "One attempt to charge a card." },
);
export type Charge = Static<typeof Charge>;

export function description() {
  return text(1000, "Your description of the charge. The customer may read it.");
}

export const CreateCharge = Type.Object(
  {
    amount: amountToCharge("Amount to charge."),
    currency: currency(),
    payment_method_id: idParameter("pm", "Payment method to charge."),
    decision_id: Type.Optional(
      idParameter(
        "dec",
        "ID of a decision on exactly this amount, currency and payment method. Without this parameter, the service makes a decision automatically.",
      ),
    ),
    capture_method: Type.Optional(captureMethod()),
    customer_id: Type.Optional(idParameter("cus", "Customer who pays.")),
    client_reference_id: Type.Optional(text(200, "Your order ID.")),
    description: Type.Optional(description()),
    statement_descriptor: Type.Optional(
      Type.String({
        minLength: 5,
        maxLength: 22,
        // Also rejects control characters, because the text is part of messages to the acquirer.
        pattern: `^(?=[${blank}]*[^${blank}])[^<>\\\\'"*${controls}${unwritable}]*$`,
        "x-florin": "characters",
        description:
          "Text on the cardholder's statement: 5 to 22 characters without < > \\ ' \" and *.",
      }),
    ),
    off_session: Type.Optional(
      Type.Boolean({
        description: "True if the customer is absent and cannot authenticate.",
      }),
    ),
    return_url: Type.Optional(returnAddress("URL to which the customer returns after 3-D Secure.")),
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
      amountToMove(
        "Amount to capture. By default, the full amount. If you capture less, the rest of the authorization is released.",
      ),
    ),
  },
  { additionalProperties: false },
);
export type CaptureCharge = Static<typeof CaptureCharge>;

/** The filters of the list of charges. Several filters are combined with AND. */
export const chargeFilters = {
  status: oneOrMore(chargeStatuses, "Status to filter by."),
  display_status: oneOrMore(
    displayStatuses,
    "Status to filter by, as the dashboard shows it. This status also depends on refunds, disputes, open reviews and pending reversals.",
  ),
  amount: amountFilter(),
  currency: Type.Optional(currency()),
  customer_id: Type.Optional(idParameter("cus", "Customer to filter by.")),
  customer_email: Type.Optional(
    text(254, "Email address of the payer or the customer to filter by."),
  ),
  payment_method_id: Type.Optional(idParameter("pm", "Payment method to filter by.")),
  checkout_session_id: Type.Optional(idParameter("cs", "Checkout session to filter by.")),
  client_reference_id: Type.Optional(
    text(200, "`client_reference_id` of the charge or its checkout session to filter by."),
  ),
  brand: oneOrMore(cardBrands, "Card network to filter by."),
  payout_id: Type.Optional(idParameter("po", "Payout that contains the charge.")),
  last4: Type.Optional(
    Type.String({
      pattern: "^[0-9]{4}$",
      description: "Last four digits of the card number to filter by.",
    }),
  ),
  decline_code: oneOrMore(Object.keys(declineCodes) as DeclineCode[], "Decline code to filter by."),
  refunded: Type.Optional(
    Type.Boolean({ description: "True for fully refunded charges, false for all others." }),
  ),
  disputed: Type.Optional(
    Type.Boolean({ description: "True for disputed charges, false for all others." }),
  ),
  in_review: Type.Optional(
    Type.Boolean({
      description:
        "True for authorized charges whose review is open, false for all others. To approve or decline a charge, use its decision.",
    }),
  ),
  metadata: Type.Optional(metadataFilter()),
};

export const ListCharges = listQuery(chargeFilters);
export type ListCharges = Static<typeof ListCharges>;

export const DownloadCharges = downloadQuery(chargeFilters);
export type DownloadCharges = Static<typeof DownloadCharges>;

export const CountCharges = downloadQuery(chargeFilters);
export type CountCharges = Static<typeof CountCharges>;
