import { fragment, type Sql, type Tx } from "../database/sql.ts";
import { type Page, pageRows } from "../http/list.ts";
import {
  type CustomerId,
  idFromNullableUuid,
  idFromUuid,
  type PaymentMethodId,
  uuidOf,
  uuidOfNullable,
} from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";
import type { PaymentMethod } from "./payment-method.ts";
import type { ShownCard } from "./shown-card.ts";

type PaymentMethodRow = ShownCard & {
  account_id: string;
  livemode: boolean;
  id: string;
  customer_id: string | null;
  checkout_session_id: string | null;
  consented_at: Date | null;
  network_transaction_id: string | null;
  metadata: Record<string, string>;
  detached_at: Date | null;
};

const columns = fragment`
  account_id, livemode, id, customer_id, brand, last4, exp_month, exp_year, funding, country, fingerprint,
  metadata, detached_at, checkout_session_id, consented_at, network_transaction_id
`;

export async function insertPaymentMethod(tx: Tx, method: PaymentMethod): Promise<void> {
  const { owner, card } = method;
  await tx`
    insert into payment_methods (
      account_id, livemode, id, customer_id, checkout_session_id, brand, last4, exp_month, exp_year, funding,
      country, fingerprint, consented_at, network_transaction_id
    ) values (
      ${uuidOf(owner.account)}, ${owner.livemode}, ${uuidOf(method.id)}, ${uuidOfNullable(method.customerId)},
      ${uuidOfNullable(method.checkoutSessionId)}, ${card.brand}, ${card.last4}, ${card.exp_month}, ${card.exp_year}, ${card.funding}, ${card.country},
      ${card.fingerprint}, ${method.consentedAt}, ${method.networkTransactionId}
    )
  `;
}

export async function readPaymentMethod(
  read: Sql,
  owner: Owner,
  id: PaymentMethodId,
): Promise<PaymentMethod | null> {
  const [row] = await read<PaymentMethodRow>`
    select ${columns}
      from payment_methods
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode} and id = ${uuidOf(id)}
  `;
  return row ? toPaymentMethod(row) : null;
}

/** Those of a customer, or all that were not detached. */
export async function listPaymentMethods(
  read: Sql,
  owner: Owner,
  customer: CustomerId | null,
  page: Page,
): Promise<PaymentMethod[]> {
  const rows = await read<PaymentMethodRow>`
    select ${columns}
      from payment_methods
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode}
       ${customer ? fragment`and customer_id = ${uuidOf(customer)}` : fragment``}
       and detached_at is null
       ${pageRows(page)}
  `;
  return rows.map(toPaymentMethod);
}

/** Locks a payment method, so that it is saved for one customer, and detached once. */
export async function lockPaymentMethod(
  tx: Tx,
  owner: Owner,
  id: PaymentMethodId,
): Promise<PaymentMethod | null> {
  const [row] = await tx<PaymentMethodRow>`
    select ${columns}
      from payment_methods
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode} and id = ${uuidOf(id)}
       for update
  `;
  return row ? toPaymentMethod(row) : null;
}

/** Notes whether the holder agreed to save the card; what was said last counts, until it is saved. */
export async function noteConsent(
  tx: Tx,
  owner: Owner,
  id: PaymentMethodId,
  at: Date | null,
): Promise<void> {
  await tx`
    update payment_methods
       set consented_at = ${at}
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode} and id = ${uuidOf(id)}
       and customer_id is null and detached_at is null
  `;
}

export async function countSavedCards(read: Sql, owner: Owner, of: CustomerId): Promise<number> {
  const [row] = await read<{ count: number }>`
    select count(*)::integer as count
      from payment_methods
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode} and customer_id = ${uuidOf(of)}
  `;
  return row?.count ?? 0;
}

/** Whether a charge of it is under way, for which the card is still needed. */
export async function isBeingCharged(
  read: Sql,
  owner: Owner,
  id: PaymentMethodId,
): Promise<boolean> {
  const rows = await read`
    select id
      from charges
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode}
       and payment_method_id = ${uuidOf(id)} and status in ('processing', 'requires_action')
     limit 1
  `;
  return rows.length > 0;
}

export async function detachPaymentMethod(
  tx: Tx,
  owner: Owner,
  id: PaymentMethodId,
  now: Date,
): Promise<void> {
  await tx`
    update payment_methods
       set customer_id = null, detached_at = ${now}
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode} and id = ${uuidOf(id)}
  `;
}

/** Detaches all that are saved for a customer, and tells which they were. */
export async function detachAllOf(
  tx: Tx,
  owner: Owner,
  customer: CustomerId,
  now: Date,
): Promise<PaymentMethodId[]> {
  const rows = await tx<{ id: string }>`
    update payment_methods
       set customer_id = null, detached_at = ${now}
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode}
       and customer_id = ${uuidOf(customer)}
    returning id
  `;
  return rows.map(({ id }) => idFromUuid("pm", id));
}

function toPaymentMethod(row: PaymentMethodRow): PaymentMethod {
  const { brand, last4, exp_month, exp_year, funding, country, fingerprint } = row;
  return {
    id: idFromUuid("pm", row.id),
    owner: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
    customerId: idFromNullableUuid("cus", row.customer_id),
    checkoutSessionId: idFromNullableUuid("cs", row.checkout_session_id),
    card: { brand, last4, exp_month, exp_year, funding, country, fingerprint },
    consentedAt: row.consented_at,
    networkTransactionId: row.network_transaction_id,
    metadata: row.metadata,
    detachedAt: row.detached_at,
  };
}
