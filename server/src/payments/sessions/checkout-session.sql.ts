import type { CaptureMethod } from "@florin/contract/charge.ts";
import type {
  CheckoutMode,
  CheckoutSessionStatus,
  PaymentStatus,
} from "@florin/contract/checkout-session.ts";
import type { OneOrMore } from "@florin/contract/list.ts";
import {
  type CheckoutSessionId,
  type CustomerId,
  idFromNullableUuid,
  idFromUuid,
  uuidOf,
} from "../../core/ids.ts";
import type { Currency } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import { type Fragment, fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { isOneOf, type Page, pageRows, valuesOf } from "../../platform/http/list.ts";
import {
  type CheckoutSession,
  maxCardsPerSession,
  type SessionDetails,
} from "./checkout-session.ts";

type SessionRow = {
  account_id: string;
  livemode: boolean;
  id: string;
  status: CheckoutSessionStatus;
  payment_status: PaymentStatus;
  mode: CheckoutMode;
  amount: number | null;
  currency: Currency;
  capture_method: CaptureMethod;
  customer_id: string | null;
  client_reference_id: string | null;
  details: SessionDetails;
  metadata: Record<string, string>;
  expires_at: Date;
  max_attempts: number;
  attempts: number;
  card_count: number;
  charge_id: string | null;
  verification_id: string | null;
  payment_method_id: string | null;
  last_payment_error: CheckoutSession["lastPaymentError"];
  version: number;
};

const columns = fragment`
  account_id, livemode, id, status, payment_status, mode, amount, currency, capture_method, customer_id,
  client_reference_id, details, metadata, expires_at, max_attempts, attempts, card_count, charge_id,
  verification_id, payment_method_id, last_payment_error, version
`;

export async function readSession(
  read: Sql,
  scope: Scope,
  id: CheckoutSessionId,
): Promise<CheckoutSession | null> {
  const [row] = await read<SessionRow>`
    select ${columns}
      from checkout_sessions
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
  `;
  return row ? toSession(row) : null;
}

/**
 * Returns the session with this ID in any scope, because the card form has only the session's ID and client secret. The
 * caller must check the secret against the returned scope before it returns any data.
 */
export async function readSessionById(
  read: Sql,
  id: CheckoutSessionId,
): Promise<CheckoutSession | null> {
  const [row] = await read<SessionRow>`
    select ${columns}
      from checkout_sessions
     where id = ${uuidOf(id)}
  `;
  return row ? toSession(row) : null;
}

export type SessionFilter = {
  readonly status?: OneOrMore<CheckoutSessionStatus> | undefined;
  readonly clientReferenceId?: string | undefined;
  readonly customerId?: CustomerId | undefined;
  readonly ids?: readonly CheckoutSessionId[] | undefined;
};

export async function listSessions(
  read: Sql,
  scope: Scope,
  filter: SessionFilter,
  page: Page,
): Promise<CheckoutSession[]> {
  const { status, clientReferenceId, customerId, ids } = filter;
  const rows = await read<SessionRow>`
    select ${columns}
      from checkout_sessions
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       ${isOneOf(fragment`status`, status)}
       ${status ? inPartialIndex(valuesOf(status)) : fragment``}
       ${clientReferenceId ? fragment`and client_reference_id = ${clientReferenceId}` : fragment``}
       ${customerId ? fragment`and customer_id = ${uuidOf(customerId)}` : fragment``}
       ${ids ? fragment`and id = any (${ids.map(uuidOf)}::uuid[])` : fragment``}
       ${pageRows(page)}
  `;
  return rows.map(toSession);
}

const rare: readonly CheckoutSessionStatus[] = ["requires_action", "expired", "canceled", "failed"];
const inProgress: readonly CheckoutSessionStatus[] = ["open", "processing"];

/**
 * Returns the condition of the partial index that contains these statuses, if there is one. It consists of literals
 * instead of parameters, so that the planner can use the index.
 */
function inPartialIndex(statuses: readonly CheckoutSessionStatus[]): Fragment {
  if (statuses.every((status) => rare.includes(status))) {
    return fragment`and status in ('requires_action', 'expired', 'canceled', 'failed')`;
  }
  if (statuses.every((status) => inProgress.includes(status))) {
    // The index contains only rows whose `expires_at` is not null. The comparison excludes null, so the planner can use
    // the index.
    return fragment`and status in ('open', 'processing') and expires_at > '-infinity'`;
  }
  return fragment``;
}

/** Returns open sessions that are past their expiry, oldest first. Reads the sessions of all accounts. */
export async function listSessionsToExpire(
  read: Sql,
  now: Date,
  limit: number,
): Promise<CheckoutSession[]> {
  const rows = await read<SessionRow>`
    select ${columns}
      from checkout_sessions
     where status = 'open' and expires_at <= ${now}
     order by expires_at
     limit ${limit}
  `;
  return rows.map(toSession);
}

/**
 * Increments the number of cards of the session. Returns false if the session is not open or has the maximum number of
 * cards. The session stays locked until the card is inserted, so that no card is added to an ended session.
 */
export async function incrementCardCount(
  tx: Tx,
  { scope, id }: Pick<CheckoutSession, "scope" | "id">,
): Promise<boolean> {
  const rows = await tx`
    update checkout_sessions
       set card_count = card_count + 1
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
       and status = 'open' and card_count < ${maxCardsPerSession}
    returning id
  `;
  return rows.length > 0;
}

function toSession(row: SessionRow): CheckoutSession {
  return {
    id: idFromUuid("cs", row.id),
    scope: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
    version: row.version,
    status: row.status,
    paymentStatus: row.payment_status,
    mode: row.mode,
    price: { amountMinor: row.amount ?? 0, currency: row.currency },
    captureMethod: row.capture_method,
    customerId: idFromNullableUuid("cus", row.customer_id),
    clientReferenceId: row.client_reference_id,
    details: row.details,
    metadata: row.metadata,
    expiresAt: row.expires_at,
    maxAttempts: row.max_attempts,
    attempts: row.attempts,
    cardCount: row.card_count,
    chargeId: idFromNullableUuid("ch", row.charge_id),
    verificationId: idFromNullableUuid("cv", row.verification_id),
    paymentMethodId: idFromNullableUuid("pm", row.payment_method_id),
    lastPaymentError: row.last_payment_error,
  };
}
