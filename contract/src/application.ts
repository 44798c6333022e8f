import Type, { type Static, type TSchema } from "typebox";
import { countryCode } from "./country.ts";
import { id } from "./ids.ts";
import { nullable } from "./nullable.ts";
import { unixTime, version } from "./object-facts.ts";
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
const webPage = (description: string) => webAddress(`${description}; its full address.`);

/** One section of the form, which is saved as a whole. `example` is for the reference. */
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

/** The address of a person or business. Unlike a billing address it must be complete. */
const HomeAddress = section(
  {
    line1: text(200, "Street and number."),
    line2: Type.Optional(text(200, "Flat, floor, company.")),
    city: text(100, "City, town or village."),
    state: Type.Optional(text(100, "State, county or province.")),
    postal_code: text(16, "Postal code."),
    country: countryCode("Country"),
  },
  "A postal address.",
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
    legal_name: text(200, "The name in the register, or of the person who trades alone."),
    structure: Type.Enum([...businessStructures], { description: "What it is in law." }),
    registration_number: Type.Optional(
      text(64, "Its number in the register. Only who trades alone may leave it out."),
    ),
    tax_id: text(64, "Its number at the tax office."),
    address: HomeAddress,
    phone: text(32, "Telephone."),
  },
  "Who trades.",
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
      description: "Date of birth, as `1980-02-29`.",
    }),
    address: HomeAddress,
    representative: Type.Boolean({ description: "Whether this person signs for the business." }),
    ownership_percent: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: "How much of the business is theirs, in percent.",
    }),
  },
  "Somebody who owns or represents the business.",
  exampleOwner,
);

export const PeopleSection = section(
  {
    owners: Type.Array(Owner, {
      minItems: 1,
      maxItems: 10,
      description: "The representative, and everybody who owns a quarter or more.",
    }),
  },
  "Whose business it is.",
  { owners: [exampleOwner] },
);
export type PeopleSection = Static<typeof PeopleSection>;

export const BankAccountSection = section(
  {
    holder_name: text(200, "In whose name the account is."),
    country: countryCode("The bank's country"),
    currency: currency("The account's currency"),
    account_number: Type.String({
      pattern: "^[A-Za-z0-9 ]{4,42}$",
      "x-florin": "encrypted",
      description: "The IBAN, or the account's number where there are none.",
    }),
    routing_number: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9-]{4,12}$",
        description: "The bank's number, where the account's number does not say it.",
      }),
    ),
  },
  "Where payouts go.",
  {
    holder_name: "Fieldware LLC",
    country: "US",
    currency: "usd",
    account_number: "000123456789",
    routing_number: "110000000",
  },
);
export type BankAccountSection = Static<typeof BankAccountSection>;

export const ProductsSection = section(
  {
    description: text(1000, "What is sold, and how it reaches the customer."),
    merchant_category_code: Type.String({
      pattern: "^[0-9]{4}$",
      description: "The four digits of ISO 18245, such as `5734` for software.",
    }),
    currency: currency("The currency of the two amounts below"),
    average_payment: Type.Integer({
      minimum: 1,
      maximum: 99_999_999,
      description: "A usual payment, in the smallest currency unit.",
    }),
    monthly_volume: Type.Integer({
      minimum: 1,
      maximum: 99_999_999_999,
      description: "All payments of a month, in the smallest currency unit.",
    }),
    delivery_days: Type.Integer({
      minimum: 0,
      maximum: 365,
      description: "Days from payment to delivery, at the longest.",
    }),
    recurring: Type.Boolean({ description: "Whether customers are charged again and again." }),
  },
  "What is sold.",
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
    url: webPage("The shop"),
    terms_url: webPage("Its terms of sale"),
    privacy_url: webPage("Its privacy policy"),
    refund_policy_url: webPage("How things are given back"),
    support_email: emailAddress("Where customers ask."),
    support_phone: Type.Optional(text(32, "Where customers call.")),
  },
  "What card networks want a shop's website to say.",
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

/** The parts that an operator can ask questions about. */
export const applicationParts = [...sectionNames, "documents"] as const;
export type ApplicationPart = (typeof applicationParts)[number];

export const documentKinds = [
  "identity",
  "business_registration",
  "bank_statement",
  "other",
] as const;
export type DocumentKind = (typeof documentKinds)[number];

/** The largest file that can be uploaded. */
export const maxDocumentBytes = 5 * 1024 * 1024;
export const mostDocuments = 20;

/** The media types of a document. */
export const documentMediaTypes = ["application/pdf", "image/png", "image/jpeg"] as const;
export type DocumentMediaType = (typeof documentMediaTypes)[number];

/** The query of an upload, whose body is the file itself. */
export const UploadDocument = Type.Object(
  {
    kind: Type.Enum([...documentKinds], { description: "What it shows." }),
    file_name: text(120, "The file's name.", "identity.pdf"),
  },
  { additionalProperties: false },
);
export type UploadDocument = Static<typeof UploadDocument>;

export const ApplicationDocument = Type.Object(
  {
    id: id("doc", "The document's id."),
    object: Type.Literal("application_document", { description: "Always `application_document`." }),
    created: unixTime("When it was uploaded"),
    kind: Type.Enum([...documentKinds], { description: "What it shows." }),
    file_name: Type.String({ description: "The file's name." }),
    media_type: Type.String({ description: "The media type of the file." }),
    size: Type.Integer({ description: "How large it is, in bytes." }),
  },
  { description: "A file that was uploaded. Only the operator can open it." },
);
export type ApplicationDocument = Static<typeof ApplicationDocument>;

export const DocumentDeleted = Type.Object({
  id: id("doc", "The document's id."),
  object: Type.Literal("application_document", { description: "Always `application_document`." }),
  deleted: Type.Literal(true, { description: "Always `true`." }),
});

/** The bank account as responses show it. Its full number is never returned. */
export const ShownBankAccount = Type.Object(
  {
    holder_name: Type.String({ description: "In whose name it is." }),
    country: Type.String({ description: "The bank's country." }),
    currency: Type.String({ description: "The account's currency." }),
    last4: Type.String({ description: "The last four characters of its number." }),
    routing_number: nullable(Type.String({ description: "The bank's number." })),
  },
  { description: "Where payouts go." },
);
export type ShownBankAccount = Static<typeof ShownBankAccount>;

const partAndMessage = (description: string) =>
  Type.Object(
    {
      section: Type.Enum([...applicationParts], { description: "The part of the application." }),
      message: Type.String({ description: "In words." }),
    },
    { description },
  );

const applicationState = {
  id: id("app", "The application's id; it has the letters of the account's."),
  object: Type.Literal("application", { description: "Always `application`." }),
  account: id("acct", "Whose it is."),
  status: Type.Enum([...applicationStatuses], { description: "How far it is." }),
  version: version(),
  missing: Type.Array(
    partAndMessage("Something that has to be there before it can be submitted."),
    {
      description: "What is still to be filled in.",
    },
  ),
  asked: Type.Array(partAndMessage("Something that the operator wants to know."), {
    description: "What the operator asked for, while more information is needed.",
  }),
  submitted_at: nullable(unixTime("When it was submitted first")),
  decided_at: nullable(unixTime("When it was approved or rejected")),
  decision_note: nullable(Type.String({ description: "Why it was rejected." })),
};

/**
 * The state of an application without its content. Responses are stored for a day, and the content must stay encrypted.
 */
export const ApplicationState = Type.Object(applicationState, {
  description: "How far the application for live mode is.",
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
      { description: "What was saved; null: not yet." },
    ),
    documents: Type.Array(ApplicationDocument, { description: "What was uploaded." }),
  },
  { description: "What an account tells of itself to get live mode." },
);
export type Application = Static<typeof Application>;
