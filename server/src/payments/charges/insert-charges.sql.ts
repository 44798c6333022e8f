import { storedPaymentMethodId } from "../../cards/payment-methods/payment-method-id.ts";
import { uuidOf } from "../../core/ids.ts";
import { column } from "../../platform/database/array-literal.ts";
import {
  bigints,
  booleans,
  byteas,
  integers,
  jsons,
  rowsOf,
  smallints,
  texts,
  timestamps,
  uuids,
} from "../../platform/database/array-parameter.ts";
import { fragment, type Tx } from "../../platform/database/sql.ts";
import type { Idempotency } from "../../platform/http/route.ts";
import { firstOfEachKey } from "../../platform/idempotency/first-of-each-key.ts";
import type { ProcessingCharge } from "./charge.ts";

/** A charge to insert before money can move. */
export type NewCharge = {
  readonly charge: ProcessingCharge;
  readonly idempotency: Idempotency | null;
  /** The number of the server process, by which another takes over after a crash. */
  readonly claimedBy: number;
  /** The time at which another process sends a status inquiry if the charge has not ended. */
  readonly dueAt: Date;
};

/**
 * Inserts a batch of charges. For each it claims the idempotency key, moves the session from `open` to `processing`
 * and writes the charge, or does none of the three. Returns whether each was inserted.
 *
 * A charge whose key is taken or whose session is not open is not written. Keys are claimed in order, so that two
 * servers that claim the same two keys cannot deadlock. If they claim the same key at the same moment, the primary key
 * rejects one. One statement, so one transaction.
 */
export async function insertCharges(tx: Tx, asked: NewCharge[]): Promise<boolean[]> {
  const newCharges = firstOfEachKey(asked, ({ charge }) => charge.owner);
  // Most batches have server-side charges only and skip the sessions.
  const inSessions = newCharges.some(({ charge }) => charge.checkoutSessionId !== null);
  const input = rowsOf({
    account_id: uuids(newCharges, ({ charge }) => charge.owner.account),
    livemode: booleans(newCharges, ({ charge }) => charge.owner.livemode),
    id: uuids(newCharges, ({ charge }) => charge.id),
    amount: bigints(newCharges, ({ charge }) => charge.price.amountMinor),
    currency: texts(newCharges, ({ charge }) => charge.price.currency),
    capture_method: texts(newCharges, ({ charge }) => charge.captureMethod),
    processor: texts(newCharges, ({ charge }) => charge.processor),
    payment_method_id: uuids(newCharges, ({ charge }) =>
      storedPaymentMethodId(charge.paymentMethodId),
    ),
    card: jsons(newCharges, ({ charge }) => charge.card),
    customer_id: uuids(newCharges, ({ charge }) => charge.customerId),
    checkout_session_id: uuids(newCharges, ({ charge }) => charge.checkoutSessionId),
    decision_id: uuids(newCharges, ({ charge }) => charge.decisionId),
    decision_outcome: texts(newCharges, ({ charge }) => charge.risk.outcome),
    risk_score: smallints(newCharges, ({ charge }) => charge.risk.score),
    decision_reasons: texts(newCharges, ({ charge }) =>
      column(charge.risk.reasons, (reason) => reason),
    ),
    decision_facts: jsons(newCharges, ({ charge }) => charge.risk.facts),
    client_reference_id: texts(newCharges, ({ charge }) => charge.clientReferenceId),
    description: texts(newCharges, ({ charge }) => charge.description),
    statement_descriptor: texts(newCharges, ({ charge }) => charge.statementDescriptor),
    off_session: booleans(newCharges, ({ charge }) => charge.offSession),
    return_url: texts(newCharges, ({ charge }) => charge.returnUrl),
    metadata: jsons(newCharges, ({ charge }) => charge.metadata),
    request_id: uuids(newCharges, ({ charge }) => charge.request?.id),
    key: texts(newCharges, ({ idempotency }) => idempotency?.key),
    fingerprint: byteas(newCharges, ({ idempotency }) => idempotency?.fingerprint),
    claimed_by: integers(newCharges, ({ claimedBy }) => claimedBy),
    due_at: timestamps(newCharges, ({ dueAt }) => dueAt),
  });
  const rows = await tx<{ id: string }>`
    with input as materialized ${input},
    ${inSessions ? enteredSessions : nothing}
    claimed as (
      insert into idempotency_keys (account_id, livemode, key, fingerprint, charge_id)
      select o.account_id, o.livemode, o.key, o.fingerprint, o.id
        from input o
       where o.key is not null
         ${inSessions ? fragment`and (o.checkout_session_id is null or o.id in (select id from entered))` : nothing}
         and not exists (
           select from idempotency_keys k
            where k.account_id = o.account_id and k.livemode = o.livemode and k.key = o.key
         )
       order by o.account_id, o.livemode, o.key
      returning charge_id
    )
    insert into charges (
      account_id, livemode, id, status, amount, currency, capture_method, processor, payment_method_id, card,
      customer_id, checkout_session_id, decision_id, decision_outcome, risk_score, decision_reasons, decision_facts, client_reference_id,
      description, statement_descriptor, off_session, return_url, metadata, request_id, idempotency_key, claimed_by,
      due_at
    )
    select account_id, livemode, id, 'processing', amount, currency, capture_method, processor,
           payment_method_id, card, customer_id, checkout_session_id, decision_id, decision_outcome, risk_score,
           decision_reasons::text[], decision_facts, client_reference_id, description, statement_descriptor, off_session, return_url, metadata,
           request_id, key, claimed_by, due_at
      from input
     where (key is null or id in (select charge_id from claimed))
       ${inSessions ? fragment`and (checkout_session_id is null or id in (select id from entered))` : nothing}
    returning id
  `;
  const opened = new Set(rows.map((row) => row.id));
  return asked.map(({ charge }) => opened.has(uuidOf(charge.id)));
}

const nothing = fragment``;

const enteredSessions = fragment`
    entered as (
      update checkout_sessions s
         set status = 'processing', attempts = s.attempts + 1, charge_id = o.id, version = s.version + 1
        from input o
       where o.checkout_session_id is not null
         and s.account_id = o.account_id and s.livemode = o.livemode and s.id = o.checkout_session_id
         and s.status = 'open'
         -- A late copy of an attempt that ended long ago must not start another.
         and not exists (
           select from idempotency_keys k
            where k.account_id = o.account_id and k.livemode = o.livemode and k.key = o.key
         )
      returning o.id
    ),
`;
