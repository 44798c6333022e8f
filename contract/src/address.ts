import Type, { type Static } from "typebox";
import { countryCode } from "./country.ts";
import { text } from "./text.ts";
import { emailAddress } from "./web-address.ts";

const line = (description: string) => text(200, description);

/** A postal address. The parts are free text, because each country writes them differently. */
export const Address = Type.Object(
  {
    line1: Type.Optional(line("Street and number.")),
    line2: Type.Optional(line("Flat, floor, company.")),
    city: Type.Optional(line("City, town or village.")),
    state: Type.Optional(line("State, county or province.")),
    postal_code: Type.Optional(text(16, "Postal code.")),
    country: Type.Optional(countryCode("Country")),
  },
  { additionalProperties: false, description: "A postal address." },
);
export type Address = Static<typeof Address>;

/** The cardholder's billing details, as the issuer may know them. */
export const BillingDetails = Type.Object(
  {
    name: Type.Optional(line("The cardholder's name.")),
    email: Type.Optional(emailAddress("The payer's email address.")),
    phone: Type.Optional(text(32, "Telephone.")),
    address: Type.Optional(Address),
  },
  { additionalProperties: false, description: "Who pays, and where their bills go." },
);
export type BillingDetails = Static<typeof BillingDetails>;

/** The recipient of the goods. */
export const ShippingDetails = Type.Object(
  {
    name: Type.Optional(line("The recipient's name.")),
    phone: Type.Optional(text(32, "Telephone.")),
    address: Type.Optional(Address),
    carrier: Type.Optional(line("Who delivers.")),
    tracking_number: Type.Optional(line("The carrier's number for the parcel.")),
  },
  { additionalProperties: false, description: "Where the goods go." },
);
export type ShippingDetails = Static<typeof ShippingDetails>;
