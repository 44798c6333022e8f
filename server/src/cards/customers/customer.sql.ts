import { type CustomerId, idFromUuid, uuidOf } from "../../core/ids.ts";
import type { Metadata } from "../../core/metadata.ts";
import type { Scope } from "../../core/scope.ts";
import { type Fragment, fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { type Page, pageRows } from "../../platform/http/list.ts";
import type { Customer } from "./customer.ts";

type CustomerRow = {
  account_id: string;
  livemode: boolean;
  id: string;
  email: string | null;
  name: string | null;
  metadata: Metadata;
};

const columns = fragment`account_id, livemode, id, email, name, metadata`;

export async function insertCustomer(tx: Tx, customer: Customer): Promise<void> {
  const { scope } = customer;
  await tx`
    insert into customers (account_id, livemode, id, email, name, metadata)
    values (${uuidOf(scope.account)}, ${scope.livemode}, ${uuidOf(customer.id)}, ${customer.email},
            ${customer.name}, ${JSON.stringify(customer.metadata)})
  `;
}

export async function readCustomer(
  read: Sql,
  scope: Scope,
  id: CustomerId,
): Promise<Customer | null> {
  const [row] = await read<CustomerRow>`
    select ${columns}
      from customers
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
       and deleted_at is null
  `;
  return row ? toCustomer(row) : null;
}

/** Locks and returns the customer, so that no other transaction changes it. */
export async function lockCustomer(tx: Tx, scope: Scope, id: CustomerId): Promise<Customer | null> {
  const [row] = await tx<CustomerRow>`
    select ${columns}
      from customers
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
       and deleted_at is null
       for update
  `;
  return row ? toCustomer(row) : null;
}

/** The filter of a list of customers. A customer must match every condition. */
export type CustomerFilter = {
  readonly email?: string | undefined;
  readonly ids?: readonly CustomerId[] | undefined;
};

function matches({ email, ids }: CustomerFilter): Fragment {
  return fragment`deleted_at is null
       ${email === undefined ? fragment`` : fragment`and lower(email) = lower(${email})`}
       ${ids === undefined ? fragment`` : fragment`and id = any (${ids.map(uuidOf)}::uuid[])`}`;
}

export async function listCustomers(
  read: Sql,
  scope: Scope,
  filter: CustomerFilter,
  page: Page,
): Promise<Customer[]> {
  const rows = await read<CustomerRow>`
    select ${columns}
      from customers
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       and ${matches(filter)}
       ${pageRows(page)}
  `;
  return rows.map(toCustomer);
}

/**
 * Returns a page of the matching customers. Each of `words` must be the beginning of a word in the customer's name or
 * email address. Reads only the next `scanned` customers.
 */
export async function scanCustomers(
  read: Sql,
  scope: Scope,
  filter: CustomerFilter,
  words: readonly string[],
  page: Page,
  scanned: number,
): Promise<Customer[]> {
  const rows = await read<CustomerRow>`
    with scanned as materialized (
      select ${columns}, deleted_at, words
        from customers
       where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
         ${pageRows({ ...page, limit: scanned - 1 })}
    )
    select ${columns}
      from scanned
     where ${hasWords(scope, words)} and ${matches(filter)}
     order by id ${page.upwards ? fragment`asc` : fragment`desc`}
     limit ${page.limit + 1}
  `;
  return rows.map(toCustomer);
}

/**
 * Returns a page of the matching customers. Each of `words` must be the beginning of a word in the customer's name or
 * email address.
 */
export async function searchCustomers(
  read: Sql,
  scope: Scope,
  filter: CustomerFilter,
  words: readonly string[],
  page: Page,
): Promise<Customer[]> {
  // Materialized, so that the planner uses the index on words. Otherwise, because of the limit, the planner would scan
  // the customers in order until it has found enough.
  const rows = await read<CustomerRow>`
    with having_words as materialized (
      select ${columns}
        from customers
       where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
         and ${hasWords(scope, words)} and ${matches(filter)}
    )
    select ${columns}
      from having_words
     where true
       ${pageRows(page)}
  `;
  return rows.map(toCustomer);
}

/** Returns the condition on the words. They contain only letters and digits, so they need no escaping. */
function hasWords({ account, livemode }: Scope, words: readonly string[]): Fragment {
  const own = `${uuidOf(account)}${livemode ? "+" : "-"}`;
  return fragment`words @@ ${words.map((word) => `'${own}${word}':*`).join(" & ")}::tsquery`;
}

export async function updateCustomer(tx: Tx, customer: Customer): Promise<void> {
  const { scope } = customer;
  await tx`
    update customers
       set email = ${customer.email}, name = ${customer.name}, metadata = ${JSON.stringify(customer.metadata)}
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(customer.id)}
       and deleted_at is null
  `;
}

/**
 * Erases a customer's personal data. Keeps the row, because charges refer to its ID. Returns whether the customer
 * existed.
 */
export async function eraseCustomer(
  tx: Tx,
  scope: Scope,
  id: CustomerId,
  now: Date,
): Promise<boolean> {
  const rows = await tx`
    update customers
       set email = null, name = null, metadata = '{}', deleted_at = ${now}
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
       and deleted_at is null
    returning id
  `;
  return rows.length === 1;
}

function toCustomer(row: CustomerRow): Customer {
  return {
    id: idFromUuid("cus", row.id),
    scope: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
    email: row.email,
    name: row.name,
    metadata: row.metadata,
  };
}

/** Returns the IDs of up to `limit` customers with this email address, newest first. */
export async function readCustomerIdsByEmail(
  read: Sql,
  scope: Scope,
  email: string,
  limit: number,
): Promise<CustomerId[]> {
  const rows = await read<{ id: string }>`
    select id
      from customers
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       and lower(email) = lower(${email})
     order by id desc
     limit ${limit}
  `;
  return rows.map(({ id }) => idFromUuid("cus", id));
}
