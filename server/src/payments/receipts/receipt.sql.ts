import {
  type ChargeId,
  firstUuidAt,
  idFromNullableUuid,
  idFromUuid,
  uuidOf,
} from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { type Page, pageRows } from "../../platform/http/list.ts";
import type { Receipt } from "./receipt.ts";

type ReceiptRow = {
  account_id: string;
  livemode: boolean;
  id: string;
  charge_id: string;
  refund_id: string | null;
  recipient: string;
};

const columns = fragment`account_id, livemode, id, charge_id, refund_id, recipient`;

/** The receipt of a payment or refund, before it is sent. */
export type DueReceipt = Omit<Receipt, "recipient">;

/** Inserts the receipt. Returns false if another process has already inserted it. */
export async function insertReceipt(
  tx: Tx,
  { scope, id, chargeId, refundId }: DueReceipt,
  recipient: string | null,
): Promise<boolean> {
  const rows = await tx`
    insert into receipts (account_id, livemode, id, charge_id, refund_id, recipient)
    values (${uuidOf(scope.account)}, ${scope.livemode}, ${uuidOf(id)}, ${uuidOf(chargeId)},
            ${refundId && uuidOf(refundId)}, ${recipient})
        on conflict do nothing
    returning id
  `;
  return rows.length === 1;
}

/** Marks a receipt as not sent. Its row remains, so that the payment or refund gets no receipt later. */
export async function markNotSent(tx: Tx, { scope, id }: DueReceipt): Promise<void> {
  await tx`
    update receipts set recipient = null
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
  `;
}

export async function listReceipts(
  read: Sql,
  scope: Scope,
  charge: ChargeId | undefined,
  page: Page,
): Promise<Receipt[]> {
  const rows = await read<ReceiptRow>`
    select ${columns}
      from receipts
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and recipient is not null
       ${charge ? fragment`and charge_id = ${uuidOf(charge)}` : fragment``}
       ${pageRows(page)}
  `;
  return rows.map(toReceipt);
}

/**
 * Finds payments and refunds that succeeded since the given time and have no receipt yet. Covers all accounts that have
 * turned receipts on, but only customers with an email address. Oldest first.
 */
export async function findDueReceipts(
  read: Sql,
  since: Date,
  limit: number,
): Promise<DueReceipt[]> {
  const rows = await read<Omit<ReceiptRow, "recipient">>`
    select s.account_id, s.livemode, due.id, due.charge_id, due.refund_id
      from account_settings s
     cross join lateral (
       select e.id, c.id as charge_id, o.id as refund_id
         from events e
         left join operations o
           on e.type = 'refund.succeeded'
          and o.account_id = e.account_id and o.livemode = e.livemode and o.id = e.object_id
         join charges c
           on c.account_id = e.account_id and c.livemode = e.livemode and c.id = coalesce(o.charge_id, e.object_id)
         left join checkout_sessions t
           on t.account_id = c.account_id and t.livemode = c.livemode and t.id = c.checkout_session_id
         left join customers k
           on k.account_id = c.account_id and k.livemode = c.livemode and k.id = c.customer_id
        where e.account_id = s.account_id and e.livemode = s.livemode
          and e.id >= ${firstUuidAt(since)} and created_at(e.id) >= s.receipts_since
          and e.type in ('payment.succeeded', 'refund.succeeded')
          and coalesce(t.details->>'customer_email', t.details->'billing_details'->>'email', k.email) is not null
          and not exists (
            select from receipts r
             where r.account_id = e.account_id and r.livemode = e.livemode and r.id = e.id
          )
        order by e.id
        limit ${limit}
     ) due
     where s.receipts_since is not null
     order by due.id
     limit ${limit}
  `;
  return rows.map(toDueReceipt);
}

/** Returns the time before which the job has read every event. */
export async function readReceiptProgress(read: Sql): Promise<Date> {
  const [row] = await read<{ read_to: Date }>`select read_to from receipt_progress`;
  return (row as { read_to: Date }).read_to;
}

export async function advanceReceiptProgress(tx: Tx, readTo: Date): Promise<void> {
  await tx`update receipt_progress set read_to = ${readTo} where read_to < ${readTo}`;
}

/** Deletes up to `limit` receipts with an ID below `before`, of all accounts. Returns the number deleted. */
export async function deleteOldReceipts(tx: Tx, before: string, limit: number): Promise<number> {
  const rows = await tx`
    delete from receipts
     where (account_id, livemode, id) in (
       select account_id, livemode, id from receipts where id < ${before} limit ${limit}
     )
    returning id
  `;
  return rows.length;
}

function toDueReceipt(row: Omit<ReceiptRow, "recipient">): DueReceipt {
  return {
    scope: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
    id: idFromUuid("rcpt", row.id),
    chargeId: idFromUuid("ch", row.charge_id),
    refundId: idFromNullableUuid("re", row.refund_id),
  };
}

function toReceipt(row: ReceiptRow): Receipt {
  return { ...toDueReceipt(row), recipient: row.recipient };
}
