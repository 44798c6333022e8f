import Type, { type Static } from "typebox";
import { BillingDetails, ShippingDetails } from "./address.ts";
import { amount, amountToCharge, currency } from "./amount.ts";
import { captureMethod, description } from "./charge.ts";
import { maxAmount } from "./currency.ts";
import { type DeclineCode, declineCodes } from "./declines.ts";
import { type ErrorCode, errorCodes } from "./errors.ts";
import { id, idParameter } from "./ids.ts";
import { listQuery, maxPageSize, oneOrMore } from "./list.ts";
import { metadata } from "./metadata.ts";
import { nullable } from "./nullable.ts";
import { objectFields, unixTime, version } from "./object-fields.ts";
import { text } from "./text.ts";
import { emailAddress, origin, returnAddress } from "./web-address.ts";

export const checkoutSessionStatuses = [
  "open",
  "processing",
  "requires_action",
  "complete",
  "expired",
  "canceled",
  "failed",
] as const;
export type CheckoutSessionStatus = (typeof checkoutSessionStatuses)[number];

/**
 * `payment`: the customer pays `amount`. `setup`: the card is verified and saved for the customer, and nothing is
 * charged.
 */
export const checkoutModes = ["payment", "setup"] as const;
export type CheckoutMode = (typeof checkoutModes)[number];

export const paymentStatuses = ["unpaid", "authorized", "paid", "no_payment_required"] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

/** The bounds of `expires_in` in seconds, from half an hour to a day. The default is a day. */
export const expiresInBounds = { min: 1800, max: 86_400, default: 86_400 } as const;

/** The session fails after this many failed attempts, to limit card testing. */
export const maxSessionAttempts = 5;

export const LineItem = Type.Object(
  {
    name: text(250, "Name of the item.", "Blue mug"),
    quantity: Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Quantity." }),
    amount: Type.Integer({
      minimum: 0,
      maximum: maxAmount,
      description: "Price of one item, in the smallest unit of the currency.",
    }),
  },
  { additionalProperties: false, description: "One line of the order." },
);
export type LineItem = Static<typeof LineItem>;

export const lastPaymentErrorFields = {
  code: Type.Unsafe<ErrorCode>(
    Type.Enum(Object.keys(errorCodes), { description: "`error.code` of the failure." }),
  ),
  decline_code: nullable(
    Type.Unsafe<DeclineCode>(
      Type.Enum(Object.keys(declineCodes), { description: "Reason for the decline." }),
    ),
  ),
  message: Type.String({ description: "Message about the failure." }),
};

const lineItems = Type.Array(LineItem, {
  minItems: 1,
  maxItems: 100,
  description:
    "Lines of the order. The sum of quantity times amount must equal `amount`. Without `amount`, the sum is the session's amount.",
});

const threeDSecure = Type.Enum(["automatic", "always"], {
  default: "automatic",
  description:
    "`automatic` uses 3-D Secure when a payment requires it. `always` uses 3-D Secure for every payment.",
});

/** The languages of the card form. A test compares them with the form's dictionaries. */
export const formLanguages = [
  "ar",
  "de",
  "en",
  "es",
  "fr",
  "he",
  "it",
  "ja",
  "nl",
  "pl",
  "pt",
  "zh",
] as const;

/**
 * The locale of the form. Any region or script of a supported language is accepted: `pt-BR` and `pt-PT` both select
 * `pt`.
 */
const locale = Type.String({
  pattern: `^(${formLanguages.flatMap((name) => [...name].map((c) => `[${c}${c.toUpperCase()}]`).join("")).join("|")})(-[a-zA-Z0-9]{2,8}){0,3}$`,
  maxLength: 35,
  description: `Language of the card form as a BCP 47 tag, such as \`de\` or \`pt-BR\`. One of: ${formLanguages.map((name) => `\`${name}\``).join(", ")}. By default the browser's language.`,
});

const mode = Type.Enum([...checkoutModes], {
  default: "payment",
  description:
    "`payment` charges `amount`. `setup` verifies the card, saves it for the customer and charges nothing.",
});

/** One payment on the card form, or one card to save. */
export const CheckoutSession = Type.Object(
  {
    ...objectFields("cs", "checkout_session"),
    version: version(),
    mode,
    status: Type.Enum([...checkoutSessionStatuses], { description: "Status of the session." }),
    payment_status: Type.Enum([...paymentStatuses], {
      description: "Status of the payment. `no_payment_required` in mode `setup`.",
    }),
    amount: amount("Amount that the customer pays. 0 in mode `setup`."),
    currency: currency(),
    capture_method: captureMethod(),
    customer_id: nullable(id("cus", "Customer who pays.")),
    customer_email: nullable(Type.String({ description: "Email address of the customer." })),
    client_reference_id: nullable(Type.String({ description: "Your order ID." })),
    description: nullable(Type.String({ description: "Your description of the session." })),
    line_items: nullable(Type.Array(LineItem, { description: "Lines of the order." })),
    billing_details: nullable(BillingDetails),
    shipping_details: nullable(ShippingDetails),
    success_url: nullable(
      Type.String({ description: "URL to which the customer goes after a payment." }),
    ),
    cancel_url: nullable(
      Type.String({ description: "URL to which the customer returns without paying." }),
    ),
    return_url: nullable(
      Type.String({
        description:
          "URL to which the customer goes after an outcome for which no other URL is set.",
      }),
    ),
    allowed_origins: Type.Array(Type.String(), {
      description:
        "Origins whose pages may frame the card form. If empty, the origins of the account apply.",
    }),
    save_payment_method: Type.Boolean({
      description: "True if the card form offers to save the customer's card.",
    }),
    three_d_secure: threeDSecure,
    locale: nullable(locale),
    expires_at: unixTime("Time of expiry"),
    max_attempts: Type.Integer({
      description: "Number of failed attempts after which the session fails.",
    }),
    attempts: Type.Integer({ minimum: 0, description: "Number of payments that were attempted." }),
    charge_id: nullable(
      id("ch", "The charge in progress, or the last one. Always null in mode `setup`."),
    ),
    payment_method_id: nullable(
      id("pm", "The card that a completed session in mode `setup` has saved. Otherwise null."),
    ),
    last_payment_error: nullable(
      Type.Object(lastPaymentErrorFields, {
        description: "Failure of the last payment, or of the last verification of a card.",
      }),
    ),
    metadata: metadata(),
    embed_url: nullable(
      Type.String({
        description:
          "URL of the card form with the client secret. Redirect the customer to it or mount it in the page. `null` in events, for credentials without `payments:write`, and once the session has ended.",
      }),
    ),
  },
  {
    description:
      "Request for one payment, which the customer completes in the card form. In mode `setup`, request for one card to save.",
  },
);
export type CheckoutSession = Static<typeof CheckoutSession>;

export const CreateCheckoutSession = Type.Object(
  {
    mode: Type.Optional(mode),
    amount: Type.Optional(
      amountToCharge(
        "Amount that the customer pays. Required without `line_items`. Not allowed in mode `setup`.",
      ),
    ),
    currency: currency(),
    capture_method: Type.Optional(captureMethod()),
    customer_id: Type.Optional(idParameter("cus", "Customer who pays.")),
    customer_email: Type.Optional(emailAddress("Email address of the customer.")),
    client_reference_id: Type.Optional(text(200, "Your order ID.")),
    description: Type.Optional(description()),
    line_items: Type.Optional(lineItems),
    billing_details: Type.Optional(BillingDetails),
    shipping_details: Type.Optional(ShippingDetails),
    success_url: Type.Optional(returnAddress("URL to which the customer goes after a payment.")),
    cancel_url: Type.Optional(returnAddress("URL to which the customer returns without paying.")),
    return_url: Type.Optional(
      returnAddress(
        "URL to which the customer goes after each outcome for which no other URL is set.",
      ),
    ),
    allowed_origins: Type.Optional(
      Type.Array(origin("Origin such as `https://shop.example`."), {
        minItems: 1,
        maxItems: 20,
        description:
          "Origins whose pages may frame the card form. By default the origins of the account.",
      }),
    ),
    save_payment_method: Type.Optional(
      Type.Boolean({
        description:
          "True to offer to save the customer's card. In mode `setup` the card is always saved, so false is not allowed.",
      }),
    ),
    three_d_secure: Type.Optional(threeDSecure),
    locale: Type.Optional(locale),
    expires_in: Type.Optional(
      Type.Integer({
        minimum: expiresInBounds.min,
        maximum: expiresInBounds.max,
        default: expiresInBounds.default,
        description: "Seconds until the session expires.",
      }),
    ),
    max_attempts: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxSessionAttempts,
        default: maxSessionAttempts,
        description:
          "Number of failed attempts after which the session fails. A repeated attempt with the same card counts too. The maximum is five, so that thieves cannot test stolen cards.",
      }),
    ),
    metadata: Type.Optional(metadata()),
  },
  { additionalProperties: false },
);
export type CreateCheckoutSession = Static<typeof CreateCheckoutSession>;

/** The response when a session is created. */
export const CheckoutSessionCreated = Type.Object(
  {
    session: CheckoutSession,
    embed_url: Type.String({
      description: "URL of the card form. Redirect the customer to it or mount it in the page.",
    }),
  },
  { description: "New checkout session." },
);
export type CheckoutSessionCreated = Static<typeof CheckoutSessionCreated>;

export const ListCheckoutSessions = listQuery({
  status: oneOrMore(checkoutSessionStatuses, "Status to filter by."),
  client_reference_id: Type.Optional(text(200, "Your order ID to filter by.")),
  customer_id: Type.Optional(idParameter("cus", "Customer to filter by.")),
  ids: Type.Optional(
    Type.Array(idParameter("cs", "ID of a checkout session."), {
      minItems: 1,
      maxItems: maxPageSize,
      "x-florin": "query",
      description: "IDs of checkout sessions to filter by. Separate multiple IDs with commas.",
    }),
  ),
});
export type ListCheckoutSessions = Static<typeof ListCheckoutSessions>;
