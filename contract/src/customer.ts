import Type, { type Static } from "typebox";
import { idPattern } from "./ids.ts";
import { listQuery } from "./list.ts";
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

export const ListCustomers = listQuery({
  email: Type.Optional(emailAddress("Email address to filter by. Letter case is ignored.")),
});
export type ListCustomers = Static<typeof ListCustomers>;

export const CustomerDeleted = Type.Object(
  {
    id: Type.String({ pattern: idPattern("cus"), description: "ID of the deleted customer." }),
    object: Type.Literal("customer", { description: "Always `customer`." }),
    deleted: Type.Literal(true, { description: "Always `true`." }),
  },
  { description: "Deleted customer." },
);
export type CustomerDeleted = Static<typeof CustomerDeleted>;
