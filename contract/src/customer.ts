import Type, { type Static } from "typebox";
import { idPattern } from "./ids.ts";
import { listQuery } from "./list.ts";
import { metadata, metadataChange } from "./metadata.ts";
import { nullable } from "./nullable.ts";
import { objectFacts } from "./object-facts.ts";
import { text } from "./text.ts";
import { emailAddress } from "./web-address.ts";

/** A returning customer, to whom saved cards and payments belong. */
export const Customer = Type.Object(
  {
    ...objectFacts("cus", "customer"),
    email: nullable(Type.String({ description: "The customer's email address." })),
    name: nullable(Type.String({ description: "The customer's name." })),
    metadata: metadata(),
  },
  { description: "Somebody who pays more than once." },
);
export type Customer = Static<typeof Customer>;

const email = () => emailAddress("The customer's email address.");
const name = () => text(200, "The customer's name.");

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
  email: Type.Optional(emailAddress("Only those with this email address, whatever its case.")),
});
export type ListCustomers = Static<typeof ListCustomers>;

export const CustomerDeleted = Type.Object(
  {
    id: Type.String({ pattern: idPattern("cus"), description: "The customer that was." }),
    object: Type.Literal("customer", { description: "Always `customer`." }),
    deleted: Type.Literal(true, { description: "Always true." }),
  },
  { description: "A customer that is no more." },
);
export type CustomerDeleted = Static<typeof CustomerDeleted>;
