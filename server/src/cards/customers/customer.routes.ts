import { isDeepStrictEqual } from "node:util";
import {
  CreateCustomer,
  Customer,
  CustomerDeleted,
  DownloadCustomers,
  ListCustomers,
  UpdateCustomer,
} from "@florin/contract/customer.ts";
import { ListOf } from "@florin/contract/list.ts";
import { noSuch } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import { type CustomerId, newId, parseId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { recordPersonAction } from "../../platform/audit/record-person-action.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { textCell, timeCell } from "../../platform/http/csv.ts";
import { csvDownload, csvOf, downloadTable } from "../../platform/http/download.ts";
import { listPage, pageOf } from "../../platform/http/list.ts";
import { created, ok, type Route, route } from "../../platform/http/route.ts";
import type { IdempotencyKeys } from "../../platform/idempotency/idempotency.ts";
import type { Vault } from "../../vault/vault.ts";
import { eraseWhenUnused } from "../payment-methods/detach-payment-method.ts";
import { detachAllOf } from "../payment-methods/payment-method.sql.ts";
import {
  eraseCustomer,
  insertCustomer,
  lockCustomer,
  readCustomer,
  updateCustomer,
} from "./customer.sql.ts";
import { changeCustomer, customerObject } from "./customer.ts";
import { findCustomers } from "./find-customers.ts";

const url = "/api/v1/customers";

const download = downloadTable(customerObject, {
  id: ({ id }) => id,
  created: ({ created }) => timeCell(created),
  email: ({ email }) => textCell(email),
  name: ({ name }) => textCell(name),
  metadata: ({ metadata }) => textCell(JSON.stringify(metadata)),
});

export function customerRoutes(deps: {
  database: Database;
  clock: Clock;
  vault: Vault;
  idempotencyKeys: IdempotencyKeys;
}): Route[] {
  const { database, clock, vault, idempotencyKeys } = deps;

  return [
    route({
      method: "POST",
      path: "/customers",
      summary: "Create a customer",
      permission: "customers:write",
      body: CreateCustomer,
      response: Customer,
      status: 201,
      async handle(request) {
        const { scope, body, idempotency } = request;
        const { email = null, name = null, metadata = {} } = body;
        const customer = { id: newId("cus", clock.now()), scope, email, name, metadata };
        return idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
          await insertCustomer(tx, customer);
          // The audit entry does not contain the values, because the audit log is never erased.
          const entry = { action: "customer.created", object: customer.id } as const;
          await recordPersonAction(tx, request, entry, clock);
          return created(customerObject(customer));
        });
      },
    }),
    route({
      method: "GET",
      path: "/customers/:id",
      summary: "Retrieve a customer",
      permission: "customers:read",
      response: Customer,
      status: 200,
      async handle({ scope, params }) {
        const id = idOf(params.id as string);
        const customer = await readCustomer(database.read, scope, id);
        if (!customer) throw noSuch("customer", id);
        return ok(customerObject(customer));
      },
    }),
    route({
      method: "GET",
      path: "/customers",
      summary: "List customers",
      permission: "customers:read",
      query: ListCustomers,
      response: ListOf(Customer, url),
      status: 200,
      async handle({ scope, query }) {
        const page = pageOf(query, "cus");
        const customers = await findCustomers(database.read, scope, query, page);
        return ok(listPage(customers, page, url, customerObject));
      },
    }),
    route({
      method: "GET",
      path: "/customers.csv",
      summary: "Download customers",
      permission: "customers:read",
      query: DownloadCustomers,
      response: csvOf("customer", download.head),
      produces: ["text/csv"],
      status: 200,
      async handle({ scope, query }) {
        return csvDownload(download.head, pageOf(query, "cus"), async (page) => {
          const customers = await findCustomers(database.read, scope, query, page);
          return download.pageOf(customers, page);
        });
      },
    }),
    route({
      method: "POST",
      path: "/customers/:id",
      summary: "Update a customer",
      permission: "customers:write",
      body: UpdateCustomer,
      response: Customer,
      status: 200,
      async handle(request) {
        const { scope, params, body, idempotency } = request;
        const id = idOf(params.id as string);
        return idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
          const customer = await lockCustomer(tx, scope, id);
          if (!customer) throw noSuch("customer", id);
          const changed = changeCustomer(customer, body);
          if (isDeepStrictEqual(changed, customer)) return ok(customerObject(customer));
          await updateCustomer(tx, changed);
          // The audit entry does not contain the values, because the audit log is never erased.
          const entry = { action: "customer.updated", object: id } as const;
          await recordPersonAction(tx, request, entry, clock);
          return ok(customerObject(changed));
        });
      },
    }),
    route({
      method: "DELETE",
      path: "/customers/:id",
      summary: "Delete a customer and all its saved cards",
      permission: "customers:write",
      response: CustomerDeleted,
      status: 200,
      async handle(request) {
        const { scope, params } = request;
        const id = idOf(params.id as string);
        await database.transactionOf(scope, async (tx) => {
          await deleteCustomer(tx, vault, scope, id, clock.now());
          const entry = { action: "customer.deleted", object: id } as const;
          await recordPersonAction(tx, request, entry, clock);
        });
        return ok({ id, object: "customer", deleted: true });
      },
    }),
  ];
}

function idOf(text: string): CustomerId {
  const id = parseId("cus", text);
  if (!id) throw noSuch("customer", text);
  return id;
}

/**
 * Erases a customer's personal data and saved cards. Charges are kept and still refer to the customer's ID. If a charge
 * of a card is in progress, the card is erased after the charge has ended.
 */
async function deleteCustomer(
  tx: Tx,
  vault: Vault,
  scope: Scope,
  id: CustomerId,
  now: Date,
): Promise<void> {
  if (!(await eraseCustomer(tx, scope, id, now))) throw noSuch("customer", id);
  for (const method of await detachAllOf(tx, scope, id, now)) {
    await eraseWhenUnused(tx, vault, scope, method, now);
  }
}
