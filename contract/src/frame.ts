import Type, { type Static } from "typebox";
import {
  checkoutModes,
  checkoutSessionStatuses,
  LineItem,
  lastPaymentErrorFields,
  paymentStatuses,
} from "./checkout-session.ts";
import { countryCode } from "./country.ts";
import { id } from "./ids.ts";
import { nullable } from "./nullable.ts";
import { unixTime } from "./object-fields.ts";
import { cardBrands, cardNetwork, walletTypes } from "./payment-method.ts";
import { text } from "./text.ts";

/**
 * The private API between the card form and the server, authorized by the session's client secret. It is not in the
 * public reference and may change, because the server always serves the matching form.
 */

/**
 * The next step of a payment that requires 3-D Secure. The form opens our challenge document, which completes the
 * authentication.
 */
export const FrameAction = Type.Object({
  type: Type.Literal("redirect"),
  url: Type.String(),
  /**
   * `prepare`: the document runs hidden, because most issuers require no challenge. `challenge`: the customer must see
   * the document.
   */
  step: Type.Enum(["prepare", "challenge"]),
  expires_at: unixTime(
    "Time at which the attempt fails with `authentication_timed_out` unless the customer has started the authentication by then",
  ),
});
export type FrameAction = Static<typeof FrameAction>;

/** A saved card of the customer. */
export const SavedCard = Type.Object({
  payment_method_id: id("pm", "Payment method of the saved card."),
  brand: Type.Enum([...cardBrands]),
  last4: Type.String({ pattern: "^[0-9]{4}$" }),
  exp_month: Type.Integer({ minimum: 1, maximum: 12 }),
  exp_year: Type.Integer({ minimum: 2000, maximum: 2099 }),
});
export type SavedCard = Static<typeof SavedCard>;

/** Card networks by the names that Google Pay uses. */
const googlePayNetworks = ["AMEX", "DISCOVER", "JCB", "MASTERCARD", "VISA"] as const;
export type GooglePayNetwork = (typeof googlePayNetworks)[number];

/** Card networks by the names that Apple Pay uses. */
const applePayNetworks = [
  "amex",
  "cartesBancaires",
  "chinaUnionPay",
  "discover",
  "jcb",
  "masterCard",
  "visa",
] as const;
export type ApplePayNetwork = (typeof applePayNetworks)[number];

/** Test mode's wallet, as the card form offers it. */
export const OfferedTestWallet = Type.Object({
  type: Type.Literal("test_wallet"),
  /** The recipient for whom the wallet signs a token. */
  recipient_id: Type.String(),
  /** The key to which the wallet encrypts a token: an uncompressed point of P-256 in base64. */
  public_key: Type.String(),
  /** The path at which the browser requests a token from test mode's wallet. */
  token_path: Type.String(),
  /** The cards in test mode's wallet. */
  cards: Type.Array(
    Type.Object({
      id: Type.String(),
      label: Type.String(),
      brand: Type.Enum([...cardBrands]),
      last4: Type.String({ pattern: "^[0-9]{4}$" }),
    }),
  ),
});
export type OfferedTestWallet = Static<typeof OfferedTestWallet>;

/**
 * Google Pay, as the card form offers it. The fields are those of Google's `PaymentDataRequest`
 * (https://developers.google.com/pay/api/web/reference/request-objects).
 */
export const OfferedGooglePay = Type.Object({
  type: Type.Literal("google_pay"),
  /** The page with the button, on the service's second origin. The form frames the page. */
  page_url: Type.String(),
  /** Google's environment. `TEST` returns tokens of test cards. */
  environment: Type.Enum(["TEST", "PRODUCTION"]),
  /** The merchant's ID at Google. Null in the environment `TEST` if the merchant has none yet. */
  merchant_id: nullable(Type.String()),
  merchant_name: Type.String(),
  allowed_card_networks: Type.Array(Type.Enum([...googlePayNetworks])),
  allowed_auth_methods: Type.Array(Type.Enum(["PAN_ONLY", "CRYPTOGRAM_3DS"])),
  /** The country in which the payment is processed, ISO 3166-1 alpha-2. */
  country_code: Type.String(),
  tokenization: Type.Union([
    /** Google encrypts the token to the account's key. */
    Type.Object({
      type: Type.Literal("DIRECT"),
      protocol_version: Type.Literal("ECv2"),
      /** An uncompressed point of P-256 in base64. */
      public_key: Type.String(),
    }),
    /** Google encrypts the token to the acquirer of the assignment. */
    Type.Object({
      type: Type.Literal("PAYMENT_GATEWAY"),
      parameters: Type.Record(Type.String(), Type.String()),
    }),
  ]),
  /** The assignment whose acquirer decrypts the token. Null for the tokenization type `DIRECT`. */
  assignment: nullable(Type.String()),
});
export type OfferedGooglePay = Static<typeof OfferedGooglePay>;

/**
 * Apple Pay, as the card form offers it. The fields are those of Apple's `ApplePayPaymentRequest`
 * (https://developer.apple.com/documentation/apple_pay_on_the_web/applepaypaymentrequest).
 */
export const OfferedApplePay = Type.Object({
  type: Type.Literal("apple_pay"),
  merchant_identifier: Type.String(),
  /** The merchant's name in the sheet. */
  display_name: Type.String(),
  /**
   * The domains that are registered with Apple. The form offers the wallet only if the top-level page is on one of
   * them, because Safari rejects the merchant session of another domain
   * (https://developer.apple.com/forums/thread/777004).
   */
  domains: Type.Array(Type.String()),
  supported_networks: Type.Array(Type.Enum([...applePayNetworks])),
  merchant_capabilities: Type.Array(
    Type.Enum(["supports3DS", "supportsCredit", "supportsDebit", "supportsEMV"]),
  ),
  /** The merchant's country, ISO 3166-1 alpha-2. */
  country_code: Type.String(),
  /** The assignment whose acquirer decrypts the token. Null if Florin decrypts it. */
  assignment: nullable(Type.String()),
});
export type OfferedApplePay = Static<typeof OfferedApplePay>;

/** A wallet that the card form offers. */
export const OfferedWallet = Type.Union([OfferedTestWallet, OfferedGooglePay, OfferedApplePay]);
export type OfferedWallet = Static<typeof OfferedWallet>;

/** The merchant as the customer sees it. */
const merchantFields = {
  merchant_name: Type.String(),
  /** The path of the logo at the service. */
  logo_path: nullable(Type.String()),
  support_email: nullable(Type.String()),
  support_phone: nullable(Type.String()),
} as const;

/** An open session as the card form sees it. */
export const FrameSession = Type.Object({
  id: id("cs", "Checkout session."),
  mode: Type.Enum([...checkoutModes]),
  status: Type.Enum([...checkoutSessionStatuses]),
  payment_status: Type.Enum([...paymentStatuses]),
  /** 0 in mode `setup`. */
  amount: Type.Integer({ minimum: 0 }),
  currency: Type.String(),
  livemode: Type.Boolean(),
  /** Present if live mode uses the acquirer's sandbox, which moves no money. */
  sandbox: Type.Optional(Type.Literal(true)),
  ...merchantFields,
  description: nullable(Type.String()),
  line_items: nullable(Type.Array(LineItem)),
  customer_email: nullable(Type.String()),
  locale: nullable(Type.String()),
  expires_at: unixTime("Time of expiry"),
  success_url: nullable(Type.String()),
  cancel_url: nullable(Type.String()),
  return_url: nullable(Type.String()),
  /**
   * Origins that the framed form may send messages to. `http://localhost:*` matches any port of the customer's machine.
   */
  allowed_origins: Type.Array(Type.String()),
  /** True if the form may offer to save the card. It is saved only if the customer agrees. */
  save_payment_method: Type.Boolean(),
  /**
   * Prefixes of co-badged card numbers. The cardholder may choose one of `networks`, the first of which is the default.
   */
  co_badged: Type.Array(
    Type.Object({
      prefix: Type.String({ pattern: "^[0-9]{6,13}$" }),
      networks: Type.Array(cardNetwork("A network.")),
    }),
  ),
  /** The customer's saved cards that have not expired, newest first. */
  saved_cards: Type.Array(SavedCard),
  /** The wallets from which the customer can pay. Empty unless the session is open. */
  wallets: Type.Array(OfferedWallet),
  attempts: Type.Integer({ minimum: 0 }),
  max_attempts: Type.Integer({ minimum: 1 }),
  last_payment_error: nullable(Type.Object(lastPaymentErrorFields)),
  next_action: nullable(FrameAction),
  /** The issuer's message for the cardholder, which must be displayed (EMV 3DS `cardholderInfo`). */
  bank_message: Type.Optional(Type.String()),
  /** The countdown uses the server's clock, because the customer's may be wrong. */
  server_time: unixTime("Current time of the server"),
});
export type FrameSession = Static<typeof FrameSession>;

/**
 * An ended session as the card form sees it. The form's URL remains in browser histories and in shops' logs, so the
 * response must not reveal the purchase or the buyer after the payment.
 */
export const EndedFrameSession = Type.Object({
  id: id("cs", "Checkout session."),
  mode: Type.Enum([...checkoutModes]),
  status: Type.Enum(["complete", "expired", "canceled", "failed"]),
  payment_status: Type.Enum([...paymentStatuses]),
  /** These fields are not secret. The shop shows them to every visitor. */
  ...merchantFields,
  allowed_origins: Type.Array(Type.String()),
  /**
   * The URL of the shop: the `success_url` if the session is complete, otherwise the `cancel_url`. If the session lacks
   * that URL, the `return_url`. Null if the session also has no `return_url`.
   */
  return_url: nullable(Type.String()),
  last_payment_error: nullable(Type.Object(lastPaymentErrorFields)),
  bank_message: Type.Optional(Type.String()),
  server_time: unixTime("Current time of the server"),
});
export type EndedFrameSession = Static<typeof EndedFrameSession>;

/** A card to store in the vault. No other request of the service contains a card number. */
export const StoreCard = Type.Object(
  {
    checkout_session_id: Type.String({ minLength: 1, maxLength: 255 }),
    number: Type.String({ pattern: "^[0-9]{12,19}$", "x-florin": "encrypted" }),
    exp_month: Type.Integer({ minimum: 1, maximum: 12 }),
    exp_year: Type.Integer({ minimum: 2000, maximum: 2099 }),
    cvc: Type.String({ pattern: "^[0-9]{3,4}$", "x-florin": "encrypted" }),
    name: Type.Optional(text(200, "Name of the cardholder.")),
    postal_code: Type.Optional(text(16, "Postal code.")),
    country: Type.Optional(countryCode("Country of the billing address")),
    network: Type.Optional(
      cardNetwork("Network that the cardholder chose from those on the card."),
    ),
  },
  { additionalProperties: false },
);
export type StoreCard = Static<typeof StoreCard>;

/**
 * The encrypted token that a wallet created for the customer's card. Without `assignment`, the service decrypts the
 * token and stores the card in the vault. With `assignment`, only the acquirer of that assignment can decrypt the
 * token.
 */
export const StoreWalletToken = Type.Object(
  {
    checkout_session_id: Type.String({ minLength: 1, maxLength: 255 }),
    /** The wallet that created the token. */
    wallet: Type.Enum([...walletTypes]),
    /** The `assignment` of the offered wallet. Absent if the service decrypts the token. */
    assignment: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    token: Type.String({ minLength: 1, maxLength: 10_000, "x-florin": "encrypted" }),
  },
  { additionalProperties: false },
);
export type StoreWalletToken = Static<typeof StoreWalletToken>;

/**
 * A request for Apple's merchant session, without which the Apple Pay sheet does not open: `POST
 * /embed/api/checkout_sessions/:id/apple_pay_session`.
 */
export const StartAppleSession = Type.Object(
  {
    /** The `validationURL` of the browser's `onvalidatemerchant` event. */
    validation_url: Type.String({ minLength: 1, maxLength: 255 }),
    /** The domain of the top-level page, one of the wallet's `domains`. */
    domain: Type.String({ minLength: 1, maxLength: 255 }),
  },
  { additionalProperties: false },
);
export type StartAppleSession = Static<typeof StartAppleSession>;

/** Apple's merchant session, which the form passes to `completeMerchantValidation` unchanged. */
export const AppleSession = Type.Object({
  merchant_session: Type.Record(Type.String(), Type.Unknown()),
});
export type AppleSession = Static<typeof AppleSession>;

export const StoredCard = Type.Object({
  payment_method_id: id("pm", "Payment method of the card."),
  card: Type.Object({
    brand: Type.Enum([...cardBrands]),
    /** Null if only the acquirer can decrypt the wallet's token. */
    last4: nullable(Type.String({ pattern: "^[0-9]{4}$" })),
  }),
});
export type StoredCard = Static<typeof StoredCard>;

export const ConfirmSession = Type.Object(
  {
    /** A card that was just entered, or one of the session's `saved_cards`. */
    payment_method_id: Type.String({ minLength: 1, maxLength: 255 }),
    /** The security code, present only if the customer entered it again for one of the `saved_cards`. */
    cvc: Type.Optional(Type.String({ pattern: "^[0-9]{3,4}$", "x-florin": "encrypted" })),
    /** The customer's consent to save the card, if the session offers to save it. */
    save_payment_method: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type ConfirmSession = Static<typeof ConfirmSession>;
