import Type, { type Static } from "typebox";
import { idParameter, idPattern } from "./ids.ts";
import { downloadQuery, listQuery, maxPageSize } from "./list.ts";
import { metadata, metadataChange } from "./metadata.ts";
import { nullable } from "./nullable.ts";
import { objectFields } from "./object-fields.ts";
import { text } from "./text.ts";
import { emailAddress } from "./web-address.ts";

/** A returning customer, to whom saved cards and payments belong. */
export const Customer = Type.Object(
  {
    ...objectFields("cus", "customer"),
    email: nullable(Type.String({ description: "Email address of the customer." })),
    name: nullable(Type.String({ description: "Name of the customer." })),
    metadata: metadata(),
  },
  { description: "A person or business that pays you, with saved cards." },
);
export type Customer = Static<typeof Customer>;

const email = () => emailAddress("Email address of the customer.");
const name = () => text(200, "Name of the customer.");

export const CreateCustomer = Type.Object(
  {
    email: Type.Optional(email()),
    name: Type.Optional(name()),
    metadata: Type.Optional(metadata()),
  },
  { additionalProperties: false },
);
export type CreateCustomer = Static<typeof CreateCustomer>;

export const UpdateCustomer = Type.Object(
  {
    email: Type.Optional(nullable(email())),
    name: Type.Optional(nullable(name())),
    metadata: Type.Optional(metadataChange()),
  },
  { additionalProperties: false },
);
export type UpdateCustomer = Static<typeof UpdateCustomer>;

/** The filters of the list of customers. Several filters are combined with AND. */
export const customerFilters = {
  email: Type.Optional(emailAddress("Email address to filter by. Letter case is ignored.")),
  search: Type.Optional(
    text(
      200,
      "Text to search for in the name and the email address. Each word of the text must be the beginning of a word there. Letter case is ignored.",
    ),
  ),
  ids: Type.Optional(
    Type.Array(idParameter("cus", "ID of a customer."), {
      minItems: 1,
      maxItems: maxPageSize,
      "x-florin": "query",
      description: "IDs of customers to filter by. Separate multiple IDs with commas.",
    }),
  ),
};

export const ListCustomers = listQuery(customerFilters);
export type ListCustomers = Static<typeof ListCustomers>;

export const DownloadCustomers = downloadQuery(customerFilters);
export type DownloadCustomers = Static<typeof DownloadCustomers>;

export const CustomerDeleted = Type.Object(
  {
    id: Type.String({ pattern: idPattern("cus"), description: "ID of the deleted customer." }),
    object: Type.Literal("customer", { description: "Always `customer`." }),
    deleted: Type.Literal(true, { description: "Always `true`." }),
  },
  { description: "Deleted customer." },
);
export type CustomerDeleted = Static<typeof CustomerDeleted>;
