import Type, { type Static } from "typebox";
import { countryCode } from "./country.ts";
import { text } from "./text.ts";
import { emailAddress } from "./web-address.ts";

const line = (description: string) => text(200, description);

/** A postal address. Each field is free text, because each country writes addresses differently. */
export const Address = Type.Object(
  {
    line1: Type.Optional(line("Street and number.")),
    line2: Type.Optional(line("Flat, floor, company.")),
    city: Type.Optional(line("City, town or village.")),
    state: Type.Optional(line("State, county or province.")),
    postal_code: Type.Optional(text(16, "Postal code.")),
    country: Type.Optional(countryCode("Country")),
  },
  { additionalProperties: false, description: "Postal address." },
);
export type Address = Static<typeof Address>;

/** The cardholder's billing details. The issuer may compare these details with its own records. */
export const BillingDetails = Type.Object(
  {
    name: Type.Optional(line("Name of the cardholder.")),
    email: Type.Optional(emailAddress("Email address of the payer.")),
    phone: Type.Optional(text(32, "Telephone number.")),
    address: Type.Optional(Address),
  },
  { additionalProperties: false, description: "Payer and billing address." },
);
export type BillingDetails = Static<typeof BillingDetails>;

/** The recipient of the goods. */
export const ShippingDetails = Type.Object(
  {
    name: Type.Optional(line("Name of the recipient.")),
    phone: Type.Optional(text(32, "Telephone number.")),
    address: Type.Optional(Address),
    carrier: Type.Optional(line("Name of the carrier.")),
    tracking_number: Type.Optional(line("Tracking number of the carrier.")),
  },
  { additionalProperties: false, description: "Recipient and delivery address." },
);
export type ShippingDetails = Static<typeof ShippingDetails>;
