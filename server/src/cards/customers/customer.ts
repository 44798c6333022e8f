import type { Customer as CustomerObject, UpdateCustomer } from "@florin/contract/customer.ts";
import { unixSeconds } from "../../core/clock.ts";
import { type CustomerId, createdAt } from "../../core/ids.ts";
import { type Metadata, mergeMetadata } from "../../core/metadata.ts";
import type { Scope } from "../../core/scope.ts";

/** A merchant's customer, who can have saved cards. Queries do not return deleted customers. */
export type Customer = {
  readonly id: CustomerId;
  readonly scope: Scope;
  readonly email: string | null;
  readonly name: string | null;
  readonly metadata: Metadata;
};

export function customerObject(customer: Customer): CustomerObject {
  return {
    id: customer.id,
    object: "customer",
    livemode: customer.scope.livemode,
    created: unixSeconds(createdAt(customer.id)),
    email: customer.email,
    name: customer.name,
    metadata: { ...customer.metadata },
  };
}

export function changeCustomer(customer: Customer, change: UpdateCustomer): Customer {
  return {
    ...customer,
    email: change.email === undefined ? customer.email : change.email,
    name: change.name === undefined ? customer.name : change.name,
    metadata: mergeMetadata(customer.metadata, change.metadata),
  };
}
