import Type, { type Static } from "typebox";
import { BillingDetails, ShippingDetails } from "./address.ts";
import { amount, amountToCharge, currency } from "./amount.ts";
import { captureMethod, description } from "./charge.ts";
import type { DeclineCode } from "./declines.ts";
import type { ErrorCode } from "./errors.ts";
import { id, idParameter } from "./ids.ts";
import { listQuery, oneOrMore } from "./list.ts";
import { metadata } from "./metadata.ts";
import { nullable } from "./nullable.ts";
import { objectFacts, unixTime, version } from "./object-facts.ts";
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

export const paymentStatuses = ["unpaid", "authorized", "paid"] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

/** From half an hour to a day. The default is a day. */
export const expiresInBounds = { shortest: 1800, longest: 86_400, default: 86_400 } as const;

/** The session fails after this many failed cards, to limit card testing. */
export const mostAttempts = 5;

export const LineItem = Type.Object(
  {
    name: text(250, "What it is.", "Blue mug"),
    quantity: Type.Integer({ minimum: 1, maximum: 1_000_000, description: "How many of it." }),
    amount: Type.Integer({
      minimum: 0,
      maximum: 99_999_999,
      description: "The price of one, in the smallest unit of the currency.",
    }),
  },
  { additionalProperties: false, description: "A line of the order." },
);
export type LineItem = Static<typeof LineItem>;

export const lastPaymentErrorFacts = {
  code: Type.Unsafe<ErrorCode>(Type.String({ description: "The `error.code` of the failure." })),
  decline_code: nullable(
    Type.Unsafe<DeclineCode>(Type.String({ description: "Why the card was declined." })),
  ),
  message: Type.String({ description: "The failure in words." }),
};

const lineItems = Type.Array(LineItem, {
  minItems: 1,
  maxItems: 100,
  description:
    "The lines of the order. Quantity times amount of all lines must be the amount; without `amount` they make it.",
});

const threeDSecure = Type.Enum(["automatic", "always"], {
  default: "automatic",
  description: "`automatic` asks for 3-D Secure where it is needed, `always` for every payment.",
});

/** The languages of the card form. A test compares them with its dictionaries. */
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

/** Any region and script of a language of the form: `pt-BR` and `pt-PT` both select `pt`. */
const locale = Type.String({
  pattern: `^(${formLanguages.flatMap((name) => [...name].map((c) => `[${c}${c.toUpperCase()}]`).join("")).join("|")})(-[a-zA-Z0-9]{2,8}){0,3}$`,
  maxLength: 35,
  description: `The card form's language as a BCP 47 tag, such as \`de\` or \`pt-BR\`, of a language that the form has: ${formLanguages.map((name) => `\`${name}\``).join(", ")}. Without it the browser's language is used.`,
});

/** One payment on the card form. */
export const CheckoutSession = Type.Object(
  {
    ...objectFacts("cs", "checkout_session"),
    version: version(),
    status: Type.Enum([...checkoutSessionStatuses], { description: "Where the session stands." }),
    payment_status: Type.Enum([...paymentStatuses], { description: "Where its money stands." }),
    amount: amount("What the customer pays."),
    currency: currency(),
    capture_method: captureMethod(),
    customer_id: nullable(id("cus", "The customer who pays.")),
    customer_email: nullable(Type.String({ description: "The customer's email address." })),
    client_reference_id: nullable(Type.String({ description: "Your own id of the order." })),
    description: nullable(Type.String({ description: "Your own words for it." })),
    line_items: nullable(Type.Array(LineItem, { description: "The lines of the order." })),
    billing_details: nullable(BillingDetails),
    shipping_details: nullable(ShippingDetails),
    success_url: nullable(Type.String({ description: "Where the customer goes after paying." })),
    cancel_url: nullable(Type.String({ description: "Where the customer goes to turn back." })),
    return_url: nullable(
      Type.String({
        description: "Where the customer goes after an outcome without its own address.",
      }),
    ),
    allowed_origins: Type.Array(Type.String(), {
      description: "The origins whose pages may frame the card form; empty: those of the account.",
    }),
    save_payment_method: Type.Boolean({
      description: "Whether the card is saved for the customer.",
    }),
    three_d_secure: threeDSecure,
    locale: nullable(locale),
    expires_at: unixTime("When it expires"),
    max_attempts: Type.Integer({ description: "How many cards may fail before the session does." }),
    attempts: Type.Integer({ minimum: 0, description: "How many payments were tried." }),
    charge_id: nullable(id("ch", "The charge under way, or the last one.")),
    last_payment_error: nullable(
      Type.Object(lastPaymentErrorFacts, { description: "Why the last payment failed." }),
    ),
    metadata: metadata(),
    embed_url: nullable(
      Type.String({
        description:
          "The card form's address, which holds the client secret: redirect the customer to it or mount it in the page. `null` in events, for credentials without `payments:write`, and once the session has ended.",
      }),
    ),
  },
  { description: "What a customer pays on the card form." },
);
export type CheckoutSession = Static<typeof CheckoutSession>;

export const CreateCheckoutSession = Type.Object(
  {
    amount: Type.Optional(amountToCharge("What the customer pays. Required without `line_items`.")),
    currency: currency(),
    capture_method: Type.Optional(captureMethod()),
    customer_id: Type.Optional(idParameter("cus", "The customer who pays.")),
    customer_email: Type.Optional(emailAddress("The customer's email address.")),
    client_reference_id: Type.Optional(text(200, "Your own id of the order.")),
    description: Type.Optional(description()),
    line_items: Type.Optional(lineItems),
    billing_details: Type.Optional(BillingDetails),
    shipping_details: Type.Optional(ShippingDetails),
    success_url: Type.Optional(returnAddress("Where the customer goes after paying.")),
    cancel_url: Type.Optional(returnAddress("Where the customer goes to turn back.")),
    return_url: Type.Optional(
      returnAddress("Where the customer goes after every outcome that has no address of its own."),
    ),
    allowed_origins: Type.Optional(
      Type.Array(origin("An origin such as `https://shop.example`."), {
        minItems: 1,
        maxItems: 20,
        description: "The origins whose pages may frame the card form; else those of the account.",
      }),
    ),
    save_payment_method: Type.Optional(
      Type.Boolean({ description: "Whether to save the card for the customer." }),
    ),
    three_d_secure: Type.Optional(threeDSecure),
    locale: Type.Optional(locale),
    expires_in: Type.Optional(
      Type.Integer({
        minimum: expiresInBounds.shortest,
        maximum: expiresInBounds.longest,
        default: expiresInBounds.default,
        description: "After how many seconds the session expires.",
      }),
    ),
    max_attempts: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: mostAttempts,
        default: mostAttempts,
        description:
          "How many cards may fail before the session does. More than five would make it a place to try stolen cards.",
      }),
    ),
    metadata: Type.Optional(metadata()),
  },
  { additionalProperties: false },
);
export type CreateCheckoutSession = Static<typeof CreateCheckoutSession>;

/** The response to a creation. */
export const CheckoutSessionCreated = Type.Object(
  {
    session: CheckoutSession,
    embed_url: Type.String({
      description: "The card form's address: redirect the customer to it or mount it in the page.",
    }),
  },
  { description: "A new checkout session." },
);
export type CheckoutSessionCreated = Static<typeof CheckoutSessionCreated>;

export const ListCheckoutSessions = listQuery({
  status: oneOrMore(checkoutSessionStatuses, "Only those in this status."),
  client_reference_id: Type.Optional(text(200, "Only those of this order.")),
  customer_id: Type.Optional(idParameter("cus", "Only those of this customer.")),
});
export type ListCheckoutSessions = Static<typeof ListCheckoutSessions>;
