import Type, { type Static } from "typebox";
import { id, idParameter } from "./ids.ts";
import { listQuery } from "./list.ts";
import { metadata } from "./metadata.ts";
import { nullable } from "./nullable.ts";
import { objectFields, unixTime } from "./object-fields.ts";

export const cardBrands = [
  "visa",
  "mastercard",
  "amex",
  "discover",
  "diners",
  "jcb",
  "unionpay",
  "unknown",
] as const;
export type CardBrand = (typeof cardBrands)[number];

/** The networks that a payment can be routed to: the brands, and domestic networks that co-badged cards have. */
export const cardNetworks = [...cardBrands, "cartes_bancaires"] as const;
export type CardNetwork = Exclude<(typeof cardNetworks)[number], "unknown">;
export const cardNetwork = (description: string) =>
  Type.Enum(
    cardNetworks.filter((network) => network !== "unknown"),
    { description },
  );

/** The wallets of live mode. The test wallet of test mode has cards in the formats of both wallets. */
export const digitalWallets = ["google_pay", "apple_pay"] as const;
export type DigitalWallet = (typeof digitalWallets)[number];

/** The wallets from which a card can come. `test_wallet` is the wallet of test mode. */
export const walletTypes = ["test_wallet", ...digitalWallets] as const;
export type WalletType = (typeof walletTypes)[number];

export const fundings = ["credit", "debit", "prepaid", "unknown"] as const;
export type Funding = (typeof fundings)[number];

/** The card fields that responses may contain. */
export const cardFields = {
  brand: Type.Enum([...cardBrands], {
    description:
      "Network of the card. `unknown` for a card from a wallet whose token only the acquirer decrypts, until the acquirer has reported the network.",
  }),
  last4: nullable(
    Type.String({
      pattern: "^[0-9]{4}$",
      description:
        "Last four digits of the card number. Null for a card from a wallet whose token only the acquirer decrypts, until the acquirer has reported the digits.",
    }),
  ),
  exp_month: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 12,
      description: "Expiry month, from 1 to 12. Null as long as the acquirer has not reported it.",
    }),
  ),
  exp_year: nullable(
    Type.Integer({
      minimum: 2000,
      maximum: 2099,
      description:
        "Expiry year, with four digits. Null as long as the acquirer has not reported it.",
    }),
  ),
  funding: Type.Enum([...fundings], { description: "Funding type of the card." }),
  country: nullable(
    Type.String({
      pattern: "^[A-Z]{2}$",
      description: "Country of the issuer, ISO 3166-1 alpha-2. Null if unknown.",
    }),
  ),
  networks: Type.Object(
    {
      available: Type.Array(cardNetwork("A network."), {
        description: "Networks on the card: two on a co-badged card, none if unknown.",
      }),
      preferred: nullable(
        cardNetwork(
          "Network that the cardholder chose in the card form. Null if the cardholder left the choice to you.",
        ),
      ),
    },
    {
      description:
        "Networks that can process a payment. In the EEA the holder of a co-badged card may choose the network (Regulation (EU) 2015/751, article 8(6)).",
    },
  ),
  fingerprint: nullable(
    Type.String({
      description:
        "Fingerprint of the card number. It is the same for the same number within your account and mode. Null for a card from a wallet whose token only the acquirer decrypts, because the service has no number.",
    }),
  ),
  wallet: Type.Optional(
    Type.Enum([...walletTypes], {
      description:
        "Wallet from which the customer paid. Absent if the customer entered the card. The number of a card from a wallet may be a network token, whose last four digits differ from those on the card.",
    }),
  ),
};

/** The reasons why a saved card must be entered again. */
export const updateReasons = [
  "expired",
  "card_replaced",
  "account_closed",
  "contact_cardholder",
] as const;
export type UpdateReason = (typeof updateReasons)[number];

/**
 * `payment`: a payment in the card form saved the card. `setup`: a session in mode `setup` verified the card and saved
 * it. `api`: a request saved the card of a test payment method.
 */
export const savedByValues = ["payment", "setup", "api"] as const;
export type SavedBy = (typeof savedByValues)[number];

/** A card that was collected by the card form, without its number. */
export const PaymentMethod = Type.Object(
  {
    ...objectFields("pm", "payment_method"),
    type: Type.Literal("card", { description: "Always `card`." }),
    customer_id: nullable(id("cus", "Customer that the card is saved for.")),
    saved_by: nullable(
      Type.Enum([...savedByValues], {
        description:
          "How the card was saved: by a `payment`, by a checkout session in mode `setup`, or through the `api`. Null unless the card is saved for a customer.",
      }),
    ),
    checkout_session_id: nullable(
      id("cs", "Checkout session in whose card form the card was entered."),
    ),
    card: Type.Object(cardFields, { description: "Masked card." }),
    update_required: nullable(
      Type.Object(
        {
          reason: Type.Enum([...updateReasons], {
            description:
              "`expired`: the card has expired. `card_replaced`: the issuer has issued a new card. `account_closed`: the issuer has closed the account. `contact_cardholder`: only the cardholder can tell you what has changed.",
          }),
          reported_at: unixTime("Time at which the card network reported the reason"),
        },
        {
          description:
            "Set after the card network reported that a saved card is out of date. Ask the customer for the new card. Null after the next approved payment.",
        },
      ),
    ),
    metadata: metadata(),
  },
  { description: "A card that was collected with the card form." },
);
export type PaymentMethod = Static<typeof PaymentMethod>;

export const AttachPaymentMethod = Type.Object(
  { customer_id: idParameter("cus", "Customer to save the card for.") },
  { additionalProperties: false },
);
export type AttachPaymentMethod = Static<typeof AttachPaymentMethod>;

/** The maximum number of saved cards per customer. */
export const maxSavedCards = 50;

export const ListPaymentMethods = listQuery({
  customer_id: Type.Optional(idParameter("cus", "Customer to filter by.")),
  expires_before: Type.Optional(
    Type.String({
      pattern: "^20[0-9]{2}-(0[1-9]|1[0-2])$",
      description:
        "Month such as `2027-03`. Returns only saved cards that expire before this month, so that you can ask for new cards in time.",
    }),
  ),
  update_required: Type.Optional(
    Type.Boolean({
      description: "`true` returns only saved cards whose `update_required` is set.",
    }),
  ),
});
export type ListPaymentMethods = Static<typeof ListPaymentMethods>;
