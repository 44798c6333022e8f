import {
  isFixedTestMethod,
  storedPaymentMethodId,
} from "../../cards/payment-methods/payment-method-id.ts";
import {
  type AssignmentId,
  type ChargeId,
  type CheckoutSessionId,
  type CustomerId,
  type DecisionId,
  type PaymentMethodId,
  type RequestId,
  uuidOf,
} from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import { areReturned } from "../../platform/database/are-returned.ts";
import {
  booleans,
  byteas,
  smallints,
  texts,
  timestamps,
  uuids,
} from "../../platform/database/array-parameter.ts";
import { batchStatements } from "../../platform/database/batch-statement.ts";
import { type Fragment, fragment, type Tx } from "../../platform/database/sql.ts";
import type { ApiResponse, Idempotency } from "../../platform/http/route.ts";
import { deduplicateByKey } from "../../platform/idempotency/deduplicate-by-key.ts";
import {
  type ColumnsWithValues,
  filledColumns,
  named,
  parametersFrom,
  selected,
  typesOf,
} from "./columns.ts";

/*
 * Inserts of charges and checkout sessions. Each statement also claims the idempotency key of the request. The insert
 * of an operation is a transition instead (`commit-transitions.sql.ts`), because it changes the charge.
 */

/** A charge to insert before the acquirer is called. */
export type NewCharge = {
  readonly charge: IntendedCharge;
  /** The reasons for the choice of the acquirer, or null if there was nothing to choose. */
  readonly route: object | null;
  /** The cardholder's choice to record with the charge. Null if the cardholder had no choice. */
  readonly consent: ConsentChoice | null;
  readonly idempotency: Idempotency | null;
  /** The number of this server process. After a crash, another process uses it to take over the charge. */
  readonly claimedBy: number;
  /** The time at which another process sends a status inquiry if the charge is still pending. */
  readonly dueAt: Date;
};

/** The cardholder's choice whether to save the card. */
export type ConsentChoice = {
  /** The time at which the cardholder agreed. Null if the cardholder did not agree. */
  readonly at: Date | null;
};

/** The fields of a charge that exist before the acquirer is called. */
type IntendedCharge = {
  readonly id: ChargeId;
  readonly scope: Scope;
  readonly price: Money;
  readonly captureMethod: string;
  readonly processor: string;
  readonly assignmentId: AssignmentId | null;
  readonly paymentMethodId: PaymentMethodId;
  readonly card: object;
  readonly customerId: CustomerId | null;
  readonly checkoutSessionId: CheckoutSessionId | null;
  readonly decisionId: DecisionId | null;
  readonly risk: {
    readonly outcome: string;
    readonly score: number;
    readonly reasons: readonly string[];
    readonly details: object | null;
  };
  readonly clientReferenceId: string | null;
  readonly description: string | null;
  readonly statementDescriptor: string | null;
  readonly offSession: boolean;
  readonly returnUrl: string | null;
  readonly metadata: object;
  readonly request: { readonly id: RequestId } | null;
};

const chargeColumns: ColumnsWithValues<NewCharge> = {
  amount: ["bigint", ({ charge }) => charge.price.amountMinor],
  currency: ["text", ({ charge }) => charge.price.currency],
  capture_method: ["text", ({ charge }) => charge.captureMethod],
  processor: ["text", ({ charge }) => charge.processor],
  assignment_id: ["uuid", ({ charge }) => charge.assignmentId],
  route: ["jsonb", ({ route }) => route],
  payment_method_id: ["uuid", ({ charge }) => storedPaymentMethodId(charge.paymentMethodId)],
  card: ["jsonb", ({ charge }) => charge.card],
  customer_id: ["uuid", ({ charge }) => charge.customerId],
  checkout_session_id: ["uuid", ({ charge }) => charge.checkoutSessionId],
  decision_id: ["uuid", ({ charge }) => charge.decisionId],
  decision_outcome: ["text", ({ charge }) => charge.risk.outcome],
  risk_score: ["smallint", ({ charge }) => charge.risk.score],
  decision_reasons: ["text[]", ({ charge }) => charge.risk.reasons],
  decision_details: ["jsonb", ({ charge }) => charge.risk.details],
  client_reference_id: ["text", ({ charge }) => charge.clientReferenceId],
  description: ["text", ({ charge }) => charge.description],
  statement_descriptor: ["text", ({ charge }) => charge.statementDescriptor],
  off_session: ["boolean", ({ charge }) => charge.offSession],
  return_url: ["text", ({ charge }) => charge.returnUrl],
  metadata: ["jsonb", ({ charge }) => charge.metadata],
  request_id: ["uuid", ({ charge }) => charge.request?.id],
  idempotency_key: ["text", ({ idempotency }) => idempotency?.key],
  claimed_by: ["integer", ({ claimedBy }) => claimedBy],
  due_at: ["timestamptz", ({ dueAt }) => dueAt],
};

/** The columns that are null for most charges. Most batches omit them. */
const sparseChargeColumns = [
  "assignment_id",
  "route",
  "checkout_session_id",
  "decision_id",
] as const;

/**
 * Inserts a batch of charges. For each charge, claims the idempotency key, moves the session from `open` to
 * `processing`, records the cardholder's choice whether to save the card and inserts the row, or does none of them.
 * Returns whether each charge was inserted.
 *
 * A charge is not inserted if its key is taken, its session is not open, or its card is detached or locked. Keys are
 * claimed in order, so that two servers that claim the same two keys cannot deadlock. If two servers claim a key
 * concurrently, the primary key rejects the second batch. One statement makes all of this atomic.
 */
export async function insertCharges(tx: Tx, batch: NewCharge[]): Promise<boolean[]> {
  const newCharges = deduplicateByKey(batch, ({ charge }) => charge.scope);
  // Most batches contain only charges without a session. Their statement omits the update of sessions.
  const inSessions = newCharges.some(({ charge }) => charge.checkoutSessionId !== null);
  // Fixed test methods have no row in `payment_methods`, so the statement of a batch with only such methods omits the
  // check of the cards.
  const ofCards = newCharges.some(({ charge }) => !isFixedTestMethod(charge.paymentMethodId));
  const withConsent = newCharges.some(({ consent }) => consent !== null);
  const keys = {
    account_id: uuids(newCharges, ({ charge }) => charge.scope.account),
    livemode: booleans(newCharges, ({ charge }) => charge.scope.livemode),
    id: uuids(newCharges, ({ charge }) => charge.id),
    fingerprint: byteas(newCharges, ({ idempotency }) => idempotency?.fingerprint),
    ...(withConsent && {
      has_choice: booleans(newCharges, ({ consent }) => consent !== null),
      consented_at: timestamps(newCharges, ({ consent }) => consent?.at),
    }),
  };
  const cellOf = (one: NewCharge, name: string) => chargeColumns[name]?.[1](one);
  const columns = filledColumns(chargeColumns, sparseChargeColumns, newCharges, cellOf);
  const build = (rows: Fragment) => fragment`
    with ${ofCards ? withUsableCards(rows) : fragment`input as materialized ${rows},`}
    ${inSessions ? enteredSessions : nothing}
    ${withConsent ? recordedConsents : nothing}
    claimed as (
      insert into idempotency_keys (account_id, livemode, key, fingerprint, charge_id)
      select o.account_id, o.livemode, o.idempotency_key, o.fingerprint, o.id
        from input o
       where o.idempotency_key is not null
         ${inSessions ? fragment`and (o.checkout_session_id is null or o.id in (select id from entered))` : nothing}
         and not exists (
           select from idempotency_keys k
            where k.account_id = o.account_id and k.livemode = o.livemode and k.key = o.idempotency_key
         )
       order by o.account_id, o.livemode, o.idempotency_key
      returning charge_id
    )
    insert into charges (account_id, livemode, id, status, ${named(typesOf(columns))})
    select account_id, livemode, id, 'processing', ${selected(typesOf(columns), "")}
      from input
     where (idempotency_key is null or id in (select charge_id from claimed))
       ${inSessions ? fragment`and (checkout_session_id is null or id in (select id from entered))` : nothing}
    returning id
  `;
  const name = `charges ${inSessions} ${ofCards} ${withConsent}`;
  const written = await runBatch<{ id: string }>(tx, {
    name,
    columns: [keys, parametersFrom(columns, newCharges)],
    build,
  });
  return areReturned(
    batch.map(({ charge }) => uuidOf(charge.id)),
    written.map(({ id }) => id),
  );
}

const runBatch = batchStatements();

const nothing = fragment``;

/**
 * Omits charges whose cards are detached. Saved cards are locked, so that a concurrent detachment waits for this
 * commit, finds the charge and keeps the card until the charge has ended. A card that another transaction has locked is
 * also omitted, because waiting for it would delay the other charges of the batch.
 *
 * A card that was typed in the charge's own session is not locked. This statement would lock the card before the
 * session, and the statements that record a session's outcome lock the session first, so the two could deadlock.
 */
function withUsableCards(rows: Fragment): Fragment {
  return fragment`
    requested as materialized ${rows},
    saved as materialized (
      select o.id
        from requested o
        join payment_methods p
          on p.account_id = o.account_id and p.livemode = o.livemode and p.id = o.payment_method_id
       -- With "is not null" the planner would read all saved cards of the merchant, from payment_methods_by_customer.
       where num_nulls(p.customer_id) = 0
         for share of p skip locked
    ),
    typed as materialized (
      select o.id
        from requested o
        join payment_methods p
          on p.account_id = o.account_id and p.livemode = o.livemode and p.id = o.payment_method_id
       where p.customer_id is null and p.detached_at is null
    ),
    input as materialized (
      select o.*
        from requested o
       where o.payment_method_id < '01000000-0000-0000-0000-000000000000'
          or o.id in (select id from saved)
          or o.id in (select id from typed)
    ),`;
}

const enteredSessions = fragment`
    entered as (
      update checkout_sessions s
         set status = 'processing', attempts = s.attempts + 1, charge_id = o.id, version = s.version + 1
        from input o
       where o.checkout_session_id is not null
         and s.account_id = o.account_id and s.livemode = o.livemode and s.id = o.checkout_session_id
         and s.status = 'open'
         -- A delayed copy of an earlier request must not start a new attempt.
         and not exists (
           select from idempotency_keys k
            where k.account_id = o.account_id and k.livemode = o.livemode and k.key = o.idempotency_key
         )
      returning o.id
    ),
`;

/**
 * Records the choices of the cardholders whose sessions this statement has moved to `processing`. Two confirmations of
 * one session can contain different choices, and only one of them moves the session. The session is locked before the
 * card, as in the statements that record a session's outcome.
 */
const recordedConsents = fragment`
    consented as (
      update payment_methods p
         set consented_at = o.consented_at
        from input o
       where o.has_choice and o.id in (select id from entered)
         and p.account_id = o.account_id and p.livemode = o.livemode and p.id = o.payment_method_id
         and p.customer_id is null and p.detached_at is null
    ),
`;

/** A session to insert, and the response to its request. */
export type NewSession = {
  readonly session: IntendedSession;
  readonly idempotency: Idempotency | null;
  readonly response: ApiResponse;
};

type IntendedSession = {
  readonly id: CheckoutSessionId;
  readonly scope: Scope;
  readonly status: string;
  readonly paymentStatus: string;
  readonly mode: string;
  readonly price: Money;
  readonly captureMethod: string;
  readonly customerId: CustomerId | null;
  readonly clientReferenceId: string | null;
  readonly details: object;
  readonly metadata: object;
  readonly expiresAt: Date;
  readonly maxAttempts: number;
};

const sessionColumns: ColumnsWithValues<NewSession> = {
  status: ["text", ({ session }) => session.status],
  payment_status: ["text", ({ session }) => session.paymentStatus],
  mode: ["text", ({ session }) => session.mode],
  amount: [
    "bigint",
    ({ session }) => (session.mode === "setup" ? null : session.price.amountMinor),
  ],
  currency: ["text", ({ session }) => session.price.currency],
  capture_method: ["text", ({ session }) => session.captureMethod],
  customer_id: ["uuid", ({ session }) => session.customerId],
  client_reference_id: ["text", ({ session }) => session.clientReferenceId],
  details: ["jsonb", ({ session }) => session.details],
  metadata: ["jsonb", ({ session }) => session.metadata],
  expires_at: ["timestamptz", ({ session }) => session.expiresAt],
  max_attempts: ["smallint", ({ session }) => session.maxAttempts],
};

/**
 * Inserts a batch of sessions. For each session, claims the idempotency key with its response and inserts the row, or
 * does neither. Returns whether each key was free. Waits for a concurrent claim of the same key, and claims keys in
 * order, so that two servers that claim the same two keys cannot deadlock. The statement may be repeated after a lost
 * reply to COMMIT: a session that exists is not inserted again.
 */
export async function insertSessions(tx: Tx, batch: NewSession[]): Promise<boolean[]> {
  const newSessions = deduplicateByKey(batch, ({ session }) => session.scope);
  const keys = {
    account_id: uuids(newSessions, ({ session }) => session.scope.account),
    livemode: booleans(newSessions, ({ session }) => session.scope.livemode),
    id: uuids(newSessions, ({ session }) => session.id),
    key: texts(newSessions, ({ idempotency }) => idempotency?.key),
    fingerprint: byteas(newSessions, ({ idempotency }) => idempotency?.fingerprint),
    response_status: smallints(newSessions, ({ response }) => response.status),
    response: texts(newSessions, ({ response }) => response.body),
  };
  const build = (input: Fragment) => fragment`
    with input as materialized ${input},
    claimed as (
      insert into idempotency_keys (account_id, livemode, key, fingerprint, status_code, response)
      select account_id, livemode, key, fingerprint, response_status, response
        from input
       where key is not null
       order by account_id, livemode, key
          on conflict (account_id, livemode, key) do nothing
      returning account_id, livemode, key
    )
    insert into checkout_sessions (account_id, livemode, id, ${named(typesOf(sessionColumns))})
    select account_id, livemode, id, ${selected(typesOf(sessionColumns), "")}
      from input
     where key is null or (account_id, livemode, key) in (select account_id, livemode, key from claimed)
        on conflict (account_id, livemode, id) do nothing
    returning id
  `;
  const rows = await runBatch<{ id: string }>(tx, {
    name: "sessions",
    columns: [keys, parametersFrom(sessionColumns, newSessions)],
    build,
  });
  const inserted = areReturned(
    batch.map(({ session }) => uuidOf(session.id)),
    rows.map(({ id }) => id),
  );
  return batch.map(({ idempotency }, index) => idempotency === null || inserted[index] === true);
}
