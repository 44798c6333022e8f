import type { DeclineCode } from "@florin/contract/declines.ts";
import type { UpdateReason, WalletType } from "@florin/contract/payment-method.ts";
import {
  type CustomerId,
  firstUuidAt,
  idFromNullableUuid,
  idFromUuid,
  type PaymentMethodId,
  uuidOf,
  uuidOfNullable,
} from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { booleans, integers, keysOf, uuids } from "../../platform/database/array-parameter.ts";
import { fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { type Page, pageRows } from "../../platform/http/list.ts";
import { type CardRecord, noRetryDeclines } from "./card-record.ts";
import type { MaskedCard } from "./masked-card.ts";
import type { PaymentMethod } from "./payment-method.ts";

type PaymentMethodRow = Omit<MaskedCard, "networks" | "wallet"> & {
  networks: MaskedCard["networks"]["available"];
  preferred_network: MaskedCard["networks"]["preferred"];
  wallet: WalletType | null;
  assignment_id: string | null;
  account_id: string;
  livemode: boolean;
  id: string;
  customer_id: string | null;
  checkout_session_id: string | null;
  consented_at: Date | null;
  network_transaction_id: string | null;
  verification_id: string | null;
  billing_country: string | null;
  metadata: Record<string, string>;
  detached_at: Date | null;
  update_reason: UpdateReason | null;
  update_reported_at: Date | null;
};

const columns = fragment`
  account_id, livemode, id, customer_id, brand, last4, exp_month, exp_year, funding, country, fingerprint,
  metadata, detached_at, checkout_session_id, consented_at, network_transaction_id, verification_id,
  billing_country, networks, preferred_network, wallet, assignment_id, update_reason, update_reported_at
`;

export async function insertPaymentMethod(tx: Tx, method: PaymentMethod): Promise<void> {
  const { scope, card } = method;
  await tx`
    insert into payment_methods (
      account_id, livemode, id, customer_id, checkout_session_id, brand, last4, exp_month, exp_year, funding,
      country, fingerprint, consented_at, network_transaction_id, billing_country,
      networks, preferred_network, wallet, assignment_id
    ) values (
      ${uuidOf(scope.account)}, ${scope.livemode}, ${uuidOf(method.id)}, ${uuidOfNullable(method.customerId)},
      ${uuidOfNullable(method.checkoutSessionId)}, ${card.brand}, ${card.last4}, ${card.exp_month}, ${card.exp_year}, ${card.funding}, ${card.country},
      ${card.fingerprint}, ${method.consentedAt}, ${method.networkTransactionId},
      ${method.billingCountry}, ${card.networks.available}, ${card.networks.preferred}, ${card.wallet ?? null},
      ${uuidOfNullable(method.assignmentId)}
    )
  `;
}

export async function readPaymentMethod(
  read: Sql,
  scope: Scope,
  id: PaymentMethodId,
): Promise<PaymentMethod | null> {
  const [row] = await read<PaymentMethodRow>`
    select ${columns}
      from payment_methods
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
  `;
  return row ? toPaymentMethod(row) : null;
}

export type StoredMethod = { readonly method: PaymentMethod; readonly record: CardRecord };

export type PaymentMethodKey = { readonly scope: Scope; readonly id: PaymentMethodId };

/**
 * Reads many payment methods in one statement, each with the declines of the same card number. Returns null for each
 * missing payment method. One statement reads the method and its declines, because every charge needs both. Declines
 * are counted from the charges, from the card verifications, and from the declined attempts of charges that were then
 * sent over another connection. The counts come from stored rows, so they are exact across servers and restarts.
 */
export async function readWithRecords(
  read: Sql,
  keys: readonly PaymentMethodKey[],
  now: Date,
): Promise<(StoredMethod | null)[]> {
  const requested = keysOf({
    account: uuids(keys, ({ scope }) => scope.account),
    mode: booleans(keys, ({ scope }) => scope.livemode),
    method: uuids(keys, ({ id }) => id),
    place: integers(keys, (_, index) => index),
  });
  const rows = await read<PaymentMethodRow & RecordRow>`
    select requested.place, ${columns}, in_day + attempts_in_day as in_day, in_30_days + attempts_in_30_days as in_30_days,
           last_never
      from ${requested} as requested
      join payment_methods p
        on p.account_id = requested.account and p.livemode = requested.mode and p.id = requested.method
     cross join lateral (
       select count(*) filter (where c.id >= ${firstUuidAt(new Date(now.getTime() - dayMs))})::integer as in_day,
              count(*)::integer as in_30_days,
              (array_agg(c.decline_code order by c.id desc) filter (
                where c.id >= ${firstUuidAt(new Date(now.getTime() - dayMs))}
                  and c.decline_code = any(${[...noRetryDeclines]})
              ))[1] as last_never
         from (
           select id, decline_code
             from charges
            where account_id = p.account_id and livemode = p.livemode
              and card->>'fingerprint' = p.fingerprint
              and status = 'failed' and checks is not null
              and payment_method_id >= '01000000-0000-0000-0000-000000000000'
              and id >= ${firstUuidAt(new Date(now.getTime() - 30 * dayMs))}
            union all
           select id, decline_code
             from card_verifications
            where account_id = p.account_id and livemode = p.livemode
              and card->>'fingerprint' = p.fingerprint
              and status = 'failed' and checks is not null
              and id >= ${firstUuidAt(new Date(now.getTime() - 30 * dayMs))}
         ) c
     ) as record
     cross join lateral (
       select count(*) filter (where a.ended_at >= ${new Date(now.getTime() - dayMs)})::integer as attempts_in_day,
              count(*)::integer as attempts_in_30_days
         from charge_attempts a
        where a.account_id = p.account_id and a.livemode = p.livemode and a.card_fingerprint = p.fingerprint
          and a.outcome = 'declined' and a.ended_at >= ${new Date(now.getTime() - 30 * dayMs)}
     ) as attempts
  `;
  const methods: (StoredMethod | null)[] = keys.map(() => null);
  for (const row of rows) {
    const record = {
      declinesInDay: row.in_day,
      declinesIn30Days: row.in_30_days,
      lastNever: row.last_never,
    };
    methods[row.place] = { method: toPaymentMethod(row), record };
  }
  return methods;
}

type RecordRow = {
  place: number;
  in_day: number;
  in_30_days: number;
  last_never: DeclineCode | null;
};

const dayMs = 24 * 60 * 60 * 1000;

export type PaymentMethodFilter = {
  readonly customer?: CustomerId | undefined;
  /** The month before which saved cards expire. */
  readonly expiresBefore?: { readonly year: number; readonly month: number } | null;
  /** True for saved cards that must be entered again. */
  readonly updateRequired?: boolean;
};

/** Returns a page of payment methods that are not detached. */
export async function listPaymentMethods(
  read: Sql,
  scope: Scope,
  page: Page,
  { customer, expiresBefore, updateRequired }: PaymentMethodFilter,
): Promise<PaymentMethod[]> {
  const rows = await read<PaymentMethodRow>`
    select ${columns}
      from payment_methods
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       ${customer ? fragment`and customer_id = ${uuidOf(customer)}` : fragment``}
       and detached_at is null
       ${
         expiresBefore
           ? fragment`and customer_id is not null
                      and (exp_year, exp_month) < (${expiresBefore.year}::smallint, ${expiresBefore.month}::smallint)`
           : fragment``
       }
       ${updateRequired ? fragment`and customer_id is not null and update_reason is not null` : fragment``}
       ${pageRows(page)}
  `;
  return rows.map(toPaymentMethod);
}

/** Locks and returns a payment method, so that it is saved for only one customer and detached only once. */
export async function lockPaymentMethod(
  tx: Tx,
  scope: Scope,
  id: PaymentMethodId,
): Promise<PaymentMethod | null> {
  const [row] = await tx<PaymentMethodRow>`
    select ${columns}
      from payment_methods
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
       for update
  `;
  return row ? toPaymentMethod(row) : null;
}

/** Records the cardholder's consent to save the card. */
export async function recordConsent(
  tx: Tx,
  scope: Scope,
  id: PaymentMethodId,
  at: Date,
): Promise<void> {
  await tx`
    update payment_methods
       set consented_at = ${at}
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
       and customer_id is null and detached_at is null
  `;
}

export async function countSavedCards(read: Sql, scope: Scope, of: CustomerId): Promise<number> {
  const [row] = await read<{ count: number }>`
    select count(*)::integer as count
      from payment_methods
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and customer_id = ${uuidOf(of)}
  `;
  return row?.count ?? 0;
}

/**
 * Returns whether a charge or a card verification in progress still needs the card. A charge in manual review does not
 * need the card, because the remaining requests about the charge contain only its reference.
 */
export async function isBeingCharged(
  read: Sql,
  scope: Scope,
  id: PaymentMethodId,
): Promise<boolean> {
  const rows = await read`
    select id
      from charges
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       and payment_method_id = ${uuidOf(id)} and status in ('processing', 'requires_action')
       and pending_reason is distinct from 'manual_review'
     union all
    select id
      from card_verifications
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       and payment_method_id = ${uuidOf(id)} and due_at is not null
     limit 1
  `;
  return rows.length > 0;
}

export async function detachPaymentMethod(
  tx: Tx,
  scope: Scope,
  id: PaymentMethodId,
  now: Date,
): Promise<void> {
  await tx`
    update payment_methods
       set customer_id = null, detached_at = ${now}
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
  `;
}

/** Detaches all payment methods of a customer. Returns their IDs. */
export async function detachAllOf(
  tx: Tx,
  scope: Scope,
  customer: CustomerId,
  now: Date,
): Promise<PaymentMethodId[]> {
  const rows = await tx<{ id: string }>`
    update payment_methods
       set customer_id = null, detached_at = ${now}
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       and customer_id = ${uuidOf(customer)}
    returning id
  `;
  return rows.map(({ id }) => idFromUuid("pm", id));
}

function toPaymentMethod(row: PaymentMethodRow): PaymentMethod {
  const { brand, last4, exp_month, exp_year, funding, country, fingerprint } = row;
  const networks = { available: row.networks, preferred: row.preferred_network };
  const wallet = row.wallet && { wallet: row.wallet };
  return {
    id: idFromUuid("pm", row.id),
    scope: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
    customerId: idFromNullableUuid("cus", row.customer_id),
    checkoutSessionId: idFromNullableUuid("cs", row.checkout_session_id),
    card: { brand, last4, exp_month, exp_year, funding, country, networks, fingerprint, ...wallet },
    assignmentId: idFromNullableUuid("asg", row.assignment_id),
    consentedAt: row.consented_at,
    networkTransactionId: row.network_transaction_id,
    verificationId: idFromNullableUuid("cv", row.verification_id),
    updateRequired: row.update_reason && {
      reason: row.update_reason,
      reportedAt: row.update_reported_at as Date,
    },
    billingCountry: row.billing_country,
    metadata: row.metadata,
    detachedAt: row.detached_at,
  };
}
