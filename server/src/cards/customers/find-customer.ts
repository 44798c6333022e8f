import { noSuchParameter } from "../../core/api-error.ts";
import { type CustomerId, parseId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { readCustomer } from "./customer.sql.ts";

/**
 * Returns the ID of the customer in `customer_id`, or null if the parameter is absent. Throws 400 for an unknown
 * customer.
 */
export async function findCustomer(
  read: Sql,
  scope: Scope,
  text: string | undefined,
): Promise<CustomerId | null> {
  if (text === undefined) return null;
  const id = parseId("cus", text);
  if (id && (await readCustomer(read, scope, id))) return id;
  throw noSuchParameter("customer", text, "customer_id");
}
