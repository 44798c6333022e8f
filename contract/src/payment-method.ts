import Type, { type Static } from "typebox";
import { id, idParameter } from "./ids.ts";
import { listQuery } from "./list.ts";
import { metadata } from "./metadata.ts";
import { nullable } from "./nullable.ts";
import { objectFacts } from "./object-facts.ts";

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

export const fundings = ["credit", "debit", "prepaid", "unknown"] as const;
export type Funding = (typeof fundings)[number];

/** The facts of a card that may be shown. */
export const cardFacts = {
  brand: Type.Enum([...cardBrands], { description: "The card's network." }),
  last4: Type.String({ pattern: "^[0-9]{4}$", description: "The last four digits." }),
  exp_month: Type.Integer({ minimum: 1, maximum: 12, description: "Expiry month." }),
  exp_year: Type.Integer({
    minimum: 2000,
    maximum: 2099,
    description: "Expiry year, four digits.",
  }),
  funding: Type.Enum([...fundings], { description: "What kind of account is behind the card." }),
  country: nullable(
    Type.String({
      pattern: "^[A-Z]{2}$",
      description: "Country of the issuer, ISO 3166-1; null where it is unknown.",
    }),
  ),
  networks: Type.Object(
    {
      available: Type.Array(cardNetwork("A network."), {
        description: "The networks on the card: two where it is co-badged, none where unknown.",
      }),
      preferred: nullable(
        cardNetwork(
          "The one the cardholder chose in the card form; null where they left it to you.",
        ),
      ),
    },
    {
      description:
        "The networks that can carry a payment. In the EEA the holder of a co-badged card may choose (Regulation (EU) 2015/751, article 8(6)).",
    },
  ),
  fingerprint: Type.String({
    description: "The same for the same card number, within your account and mode.",
  }),
};

/** A card that was collected by the card form, without its number. */
export const PaymentMethod = Type.Object(
  {
    ...objectFacts("pm", "payment_method"),
    type: Type.Literal("card", { description: "Always `card`." }),
    customer_id: nullable(id("cus", "The customer it is saved for.")),
    card: Type.Object(cardFacts, { description: "The card, as far as it is ever shown." }),
    metadata: metadata(),
  },
  { description: "A card that was collected through the card form." },
);
export type PaymentMethod = Static<typeof PaymentMethod>;

export const AttachPaymentMethod = Type.Object(
  { customer_id: idParameter("cus", "The customer to save it for.") },
  { additionalProperties: false },
);
export type AttachPaymentMethod = Static<typeof AttachPaymentMethod>;

/** The maximum number of saved cards per customer. */
export const mostSavedCards = 50;

export const ListPaymentMethods = listQuery({
  customer_id: Type.Optional(idParameter("cus", "Only those saved for this customer.")),
  expires_before: Type.Optional(
    Type.String({
      pattern: "^20[0-9]{2}-(0[1-9]|1[0-2])$",
      description:
        "Only saved cards whose last month lies before this one, such as `2027-03`: to ask for a new one in time.",
    }),
  ),
});
export type ListPaymentMethods = Static<typeof ListPaymentMethods>;
