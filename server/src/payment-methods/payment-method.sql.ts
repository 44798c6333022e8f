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
  metadata: Record<string, string>;
  detached_at: Date | null;
};

const columns = fragment`
  account_id, livemode, id, customer_id, brand, last4, exp_month, exp_year, funding, country, fingerprint,
  metadata, detached_at, checkout_session_id
`;

export async function insertPaymentMethod(tx: Tx, method: PaymentMethod): Promise<void> {
  const { owner, card } = method;
  await tx`
    insert into payment_methods (
      account_id, livemode, id, customer_id, checkout_session_id, brand, last4, exp_month, exp_year, funding,
      country, fingerprint
    ) values (
      ${uuidOf(owner.account)}, ${owner.livemode}, ${uuidOf(method.id)}, ${uuidOfNullable(method.customerId)},
      ${uuidOfNullable(method.checkoutSessionId)}, ${card.brand}, ${card.last4}, ${card.exp_month}, ${card.exp_year}, ${card.funding}, ${card.country},
      ${card.fingerprint}
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

function toPaymentMethod(row: PaymentMethodRow): PaymentMethod {
  const { brand, last4, exp_month, exp_year, funding, country, fingerprint } = row;
  return {
    id: idFromUuid("pm", row.id),
    owner: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
    customerId: idFromNullableUuid("cus", row.customer_id),
    checkoutSessionId: idFromNullableUuid("cs", row.checkout_session_id),
    card: { brand, last4, exp_month, exp_year, funding, country, fingerprint },
    metadata: row.metadata,
    detachedAt: row.detached_at,
  };
}
