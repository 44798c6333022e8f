import Type, { type Static, type TSchema } from "typebox";
import { countryCode } from "./country.ts";
import { id } from "./ids.ts";
import { listQuery, oneOrMore } from "./list.ts";
import { metadata } from "./metadata.ts";
import { nullable } from "./nullable.ts";
import { objectFields, unixTime } from "./object-fields.ts";
import { text } from "./text.ts";
import { emailAddress, networkAddress } from "./web-address.ts";

export const listNames = ["allow", "block"] as const;
export type ListName = (typeof listNames)[number];

/** The payment attributes whose values can be entries of a list. */
export const listAttributes = [
  "card_fingerprint",
  "card_country",
  "customer_id",
  "email",
  "email_domain",
  "ip",
  "ip_country",
] as const;
export type ListAttribute = (typeof listAttributes)[number];

/** The maximum number of entries per merchant and mode. */
export const maxListEntries = 10_000;

const list = () =>
  Type.Enum([...listNames], {
    description: "`allow` approves the payment, regardless of rules. `block` declines the payment.",
    examples: ["block"],
  });
const attribute = () =>
  Type.Enum([...listAttributes], {
    description: "Attribute of the payment that the value is compared with.",
    examples: ["email"],
  });
const exampleValue = "eve@example.com";

/** The value of a payment attribute. Payments with this value are always allowed or always blocked. */
export const ListEntry = Type.Object(
  {
    ...objectFields("lst", "list_entry"),
    list: list(),
    attribute: attribute(),
    value: Type.String({
      description: "The value. Email addresses and domains are in lower case and in Unicode.",
      examples: [exampleValue],
    }),
    expires_at: nullable(unixTime("Time until which the entry applies")),
    description: nullable(Type.String({ description: "Your description of the entry." })),
    metadata: metadata(),
  },
  { description: "A value whose payments are always allowed or always blocked." },
);
export type ListEntry = Static<typeof ListEntry>;

export const CreateListEntry = Type.Object(
  {
    list: list(),
    attribute: attribute(),
    value: text(254, "The value, such as `ada@example.com` or `DE`.", exampleValue),
    expires_at: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 253_402_300_799,
        description: "Time until which the entry applies, in Unix seconds.",
      }),
    ),
    description: Type.Optional(text(200, "Your description of the entry.")),
    metadata: Type.Optional(metadata()),
  },
  { additionalProperties: false },
);
export type CreateListEntry = Static<typeof CreateListEntry>;

const written = (value: TSchema) => Type.Object({ value });

/**
 * The format of each attribute's values. Values that no payment can have are rejected, because they would never match.
 */
export const listValues: Readonly<Record<ListAttribute, TSchema>> = {
  card_fingerprint: written(
    Type.String({
      // Rejects sixteen digits, which are more likely a card number than a fingerprint. A card number must not be
      // stored unencrypted.
      pattern: "^(?![0-9]+$)[0-9A-Za-z]{16}$",
      description: "Fingerprint of a card, as in its payments: 16 letters and digits.",
    }),
  ),
  card_country: written(countryCode("Country of the card's issuer")),
  customer_id: written(id("cus", "A customer.")),
  email: written(emailAddress("An email address.")),
  email_domain: written(
    Type.String({
      pattern: "^[^\\s@.]+(\\.[^\\s@.]+)+$",
      description: "Domain of an email address, such as `example.com`.",
    }),
  ),
  ip: written(networkAddress("An IPv4 or IPv6 address.")),
  ip_country: written(countryCode("Country of the address")),
};

export const ListListEntries = listQuery({
  list: oneOrMore(listNames, "List to filter by."),
  attribute: oneOrMore(listAttributes, "Attribute to filter by."),
  value: Type.Optional(text(254, "Value to filter by.")),
});
export type ListListEntries = Static<typeof ListListEntries>;

export const ListEntryDeleted = Type.Object(
  {
    id: id("lst", "ID of the deleted list entry."),
    object: Type.Literal("list_entry", { description: "Always `list_entry`." }),
    deleted: Type.Literal(true, { description: "Always `true`." }),
  },
  { description: "Deleted list entry." },
);
export type ListEntryDeleted = Static<typeof ListEntryDeleted>;
