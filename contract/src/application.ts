import Type, { type Static, type TSchema } from "typebox";
import { countryCode } from "./country.ts";
import { maxAmount } from "./currency.ts";
import { id } from "./ids.ts";
import { nullable } from "./nullable.ts";
import { unixTime, version } from "./object-fields.ts";
import { properName, text } from "./text.ts";
import { emailAddress, webAddress } from "./web-address.ts";

/** The states of an application for live mode. */
export const applicationStatuses = [
  "draft",
  "submitted",
  "in_review",
  "more_information_needed",
  "approved",
  "rejected",
] as const;
export type ApplicationStatus = (typeof applicationStatuses)[number];

const currency = (description: string) =>
  Type.String({ pattern: "^[a-z]{3}$", description: `${description}: ISO 4217 code.` });
const webPage = (description: string) => webAddress(`${description}: absolute URL.`);

/** Returns the schema of a section of the form. A section is saved as a whole. The API reference shows `example`. */
function section<Fields extends Record<string, TSchema>>(
  fields: Fields,
  description: string,
  example: object,
) {
  return Type.Object(fields, { additionalProperties: false, description, examples: [example] });
}

const exampleAddress = {
  line1: "1 Main Street",
  city: "Portland",
  state: "OR",
  postal_code: "97201",
  country: "US",
};

/** The address of a person or business. Unlike a billing address, it must be complete. */
const HomeAddress = section(
  {
    line1: text(200, "Street and number."),
    line2: Type.Optional(text(200, "Flat, floor, company.")),
    city: text(100, "City, town or village."),
    state: Type.Optional(text(100, "State, county or province.")),
    postal_code: text(16, "Postal code."),
    country: countryCode("Country"),
  },
  "Postal address.",
  exampleAddress,
);

export const businessStructures = [
  "sole_proprietor",
  "company",
  "partnership",
  "non_profit",
] as const;

export const BusinessSection = section(
  {
    legal_name: text(200, "Registered name of the business, or the name of a sole proprietor."),
    structure: Type.Enum([...businessStructures], { description: "Business structure." }),
    registration_number: Type.Optional(
      text(64, "Registration number. Optional for a sole proprietor only."),
    ),
    tax_id: text(64, "Tax number."),
    address: HomeAddress,
    phone: text(32, "Telephone number."),
  },
  "The business.",
  {
    legal_name: "Fieldware LLC",
    structure: "company",
    registration_number: "OR-552-118",
    tax_id: "12-3456789",
    address: exampleAddress,
    phone: "+1 503 555 0100",
  },
);
export type BusinessSection = Static<typeof BusinessSection>;

const exampleOwner = {
  first_name: "Ada",
  last_name: "Field",
  email: "ada@shop.example",
  date_of_birth: "1980-02-29",
  address: exampleAddress,
  representative: true,
  ownership_percent: 100,
};

export const Owner = section(
  {
    first_name: properName(100, "First name."),
    last_name: properName(100, "Last name."),
    email: emailAddress("Email address."),
    date_of_birth: Type.String({
      pattern: "^(19|20)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$",
      description: "Date of birth, such as `1980-02-29`.",
    }),
    address: HomeAddress,
    representative: Type.Boolean({
      description:
        "True if this person is the legal representative, who is authorized to sign for the business.",
    }),
    ownership_percent: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: "Share of the business that this person owns, in percent.",
    }),
  },
  "A person who owns or represents the business.",
  exampleOwner,
);

export const PeopleSection = section(
  {
    owners: Type.Array(Owner, {
      minItems: 1,
      maxItems: 10,
      description: "The representative, and each person who owns 25 percent or more.",
    }),
  },
  "Owners and representatives of the business.",
  { owners: [exampleOwner] },
);
export type PeopleSection = Static<typeof PeopleSection>;

export const BankAccountSection = section(
  {
    holder_name: text(200, "Name of the account holder."),
    country: countryCode("Country of the bank"),
    currency: currency("Currency of the account"),
    account_number: Type.String({
      pattern: "^[A-Za-z0-9 ]{4,42}$",
      "x-florin": "encrypted",
      description: "IBAN, or the account number in countries without IBAN.",
    }),
    routing_number: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9-]{4,12}$",
        description: "Bank code, if the account number does not contain it.",
      }),
    ),
  },
  "Bank account for payouts.",
  {
    holder_name: "Fieldware LLC",
    country: "US",
    currency: "usd",
    account_number: "000123456789",
    routing_number: "110000000",
  },
);
export type BankAccountSection = Static<typeof BankAccountSection>;

/**
 * High enough for every currency. In `lbp`, whose smallest unit has the lowest value, it is about 110 million dollars.
 */
const maxMonthlyVolume = 999_999_999_999_999;

export const ProductsSection = section(
  {
    description: text(1000, "Description of the goods or services, and their delivery."),
    merchant_category_code: Type.String({
      pattern: "^[0-9]{4}$",
      description: "Merchant category code (ISO 18245), four digits, such as `5734` for software.",
    }),
    currency: currency("Currency of the two amounts below"),
    average_payment: Type.Integer({
      minimum: 1,
      maximum: maxAmount,
      description: "Amount of a typical payment, in the smallest unit of the currency.",
    }),
    monthly_volume: Type.Integer({
      minimum: 1,
      maximum: maxMonthlyVolume,
      description: "Total of all payments in a month, in the smallest unit of the currency.",
    }),
    delivery_days: Type.Integer({
      minimum: 0,
      maximum: 365,
      description: "Longest time from payment to delivery, in days.",
    }),
    recurring: Type.Boolean({
      description: "True if customers are charged repeatedly, as in a subscription.",
    }),
  },
  "The products.",
  {
    description: "Garden tools, sent by parcel within two days.",
    merchant_category_code: "5251",
    currency: "usd",
    average_payment: 4500,
    monthly_volume: 2_000_000,
    delivery_days: 5,
    recurring: false,
  },
);
export type ProductsSection = Static<typeof ProductsSection>;

export const WebsiteSection = section(
  {
    url: webPage("Website of the shop"),
    terms_url: webPage("Page with the terms of sale"),
    privacy_url: webPage("Page with the privacy policy"),
    refund_policy_url: webPage("Page with the return policy"),
    support_email: emailAddress("Email address for customers."),
    support_phone: Type.Optional(text(32, "Telephone number for customers.")),
  },
  "Information that card networks require on a shop's website.",
  {
    url: "https://shop.example",
    terms_url: "https://shop.example/terms",
    privacy_url: "https://shop.example/privacy",
    refund_policy_url: "https://shop.example/refunds",
    support_email: "help@shop.example",
  },
);
export type WebsiteSection = Static<typeof WebsiteSection>;

/** The sections of the form. Documents are uploaded one by one. */
export const sectionSchemas = {
  business: BusinessSection,
  people: PeopleSection,
  bank_account: BankAccountSection,
  products: ProductsSection,
  website: WebsiteSection,
} as const;
export type SectionName = keyof typeof sectionSchemas;
export const sectionNames = Object.keys(sectionSchemas) as SectionName[];

/** The parts of an application that an operator can ask questions about. */
export const applicationParts = [...sectionNames, "documents"] as const;
export type ApplicationPart = (typeof applicationParts)[number];

export const documentKinds = [
  "identity",
  "business_registration",
  "bank_statement",
  "other",
] as const;
export type DocumentKind = (typeof documentKinds)[number];

/** The maximum size of an uploaded document. */
export const maxDocumentBytes = 5 * 1024 * 1024;
export const maxDocuments = 20;

/** The query parameters of an upload. The body of the request is the file itself. */
export const UploadDocument = Type.Object(
  {
    kind: Type.Enum([...documentKinds], { description: "Kind of the document." }),
    file_name: text(120, "Name of the file.", "identity.pdf"),
  },
  { additionalProperties: false },
);
export type UploadDocument = Static<typeof UploadDocument>;

export const ApplicationDocument = Type.Object(
  {
    id: id("doc", "ID of the document."),
    object: Type.Literal("application_document", { description: "Always `application_document`." }),
    created: unixTime("Time of the upload"),
    kind: Type.Enum([...documentKinds], { description: "Kind of the document." }),
    file_name: Type.String({ description: "Name of the file." }),
    media_type: Type.String({ description: "Media type of the file." }),
    size: Type.Integer({ description: "Size of the file, in bytes." }),
  },
  { description: "Uploaded file. Only the operator can open it." },
);
export type ApplicationDocument = Static<typeof ApplicationDocument>;

export const DocumentDeleted = Type.Object({
  id: id("doc", "ID of the document."),
  object: Type.Literal("application_document", { description: "Always `application_document`." }),
  deleted: Type.Literal(true, { description: "Always `true`." }),
});

/** The bank account in responses. The full number is never returned. */
export const ShownBankAccount = Type.Object(
  {
    holder_name: Type.String({ description: "Name of the account holder." }),
    country: Type.String({ description: "Country of the bank." }),
    currency: Type.String({ description: "Currency of the account." }),
    last4: Type.String({ description: "Last four characters of the account number." }),
    routing_number: nullable(Type.String({ description: "Bank code." })),
  },
  { description: "Bank account for payouts." },
);
export type ShownBankAccount = Static<typeof ShownBankAccount>;

const partAndMessage = (description: string) =>
  Type.Object(
    {
      section: Type.Enum([...applicationParts], { description: "Section of the application." }),
      message: Type.String({ description: "Explanation for a person to read." }),
    },
    { description },
  );

const applicationState = {
  id: id("app", "ID of the application. It equals the ID of the account except for the prefix."),
  object: Type.Literal("application", { description: "Always `application`." }),
  account: id("acct", "Account that the application belongs to."),
  status: Type.Enum([...applicationStatuses], { description: "Status of the application." }),
  version: version(),
  missing: Type.Array(
    partAndMessage("Information that is required before the application can be submitted."),
    {
      description: "Information that is still missing.",
    },
  ),
  requests: Type.Array(partAndMessage("Information that the operator requests."), {
    description: "Requests of the operator, while more information is needed.",
  }),
  submitted_at: nullable(unixTime("Time of the first submission")),
  decided_at: nullable(unixTime("Time of approval or rejection")),
  decision_note: nullable(Type.String({ description: "Reason for the rejection." })),
};

/**
 * The state of an application without its content. The service stores responses of this type unencrypted for a day, so
 * that a repeated request gets the same response. The content may be stored only encrypted.
 */
export const ApplicationState = Type.Object(applicationState, {
  description: "Status of the application for live mode.",
});
export type ApplicationState = Static<typeof ApplicationState>;

/** An account's application for live mode. */
export const Application = Type.Object(
  {
    ...applicationState,
    sections: Type.Object(
      {
        business: nullable(BusinessSection),
        people: nullable(PeopleSection),
        bank_account: nullable(ShownBankAccount),
        products: nullable(ProductsSection),
        website: nullable(WebsiteSection),
      },
      { description: "Saved values. Null if nothing is saved yet." },
    ),
    documents: Type.Array(ApplicationDocument, { description: "Uploaded documents." }),
  },
  { description: "Application for live mode." },
);
export type Application = Static<typeof Application>;
