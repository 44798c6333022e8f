import { paymentMethodUuid } from "@florin/server/cards/payment-methods/payment-method-id.ts";
import { uuidOf } from "@florin/server/core/ids.ts";
import type { NewCharge } from "@florin/server/payments/commit/intents.sql.ts";
import type { Transition } from "@florin/server/payments/commit/transition.ts";
import { connectDatabase } from "@florin/server/platform/database/database.ts";
import type { Tx } from "@florin/server/platform/database/sql.ts";
import { insertEvent } from "@florin/server/webhooks/events/outbox.sql.ts";
import type { Authorization } from "@florin/simulator/authorization.ts";
import { poolSize, type Writers } from "./writers.ts";

/**
 * The common way to write the rows of a charge: a connection pool and two transactions per charge, with one prepared
 * statement per row.
 */
export function plainTransactions(databaseUrl: string): Writers {
  const database = connectDatabase({
    url: databaseUrl,
    poolSize,
    onIdleError: (error) => console.error(error.message),
  });
  return {
    insertCharge: (newCharge) => database.transaction((tx) => insertCharge(tx, newCharge)),
    commitCharge: (transition) => database.transaction((tx) => commitCharge(tx, transition)),
    recordAuthorization: (authorization) =>
      database.transaction((tx) => insertAuthorization(tx, authorization)),
    close: database.close,
  };
}

async function insertCharge(tx: Tx, newCharge: NewCharge): Promise<boolean> {
  const { charge, idempotency, claimedBy, dueAt } = newCharge;
  const account = uuidOf(charge.scope.account);
  const id = uuidOf(charge.id);
  if (idempotency) {
    const claimed = await tx`
      insert into idempotency_keys (account_id, livemode, key, fingerprint, charge_id)
      values (${account}, ${charge.scope.livemode}, ${idempotency.key}, ${idempotency.fingerprint}, ${id})
          on conflict (account_id, livemode, key) do nothing
      returning key
    `;
    if (claimed.length === 0) return false;
  }
  await tx`
    insert into charges (
      account_id, livemode, id, status, amount, currency, capture_method, processor, payment_method_id, card,
      decision_outcome, risk_score, decision_reasons, decision_details, description, statement_descriptor, off_session, return_url,
      metadata, request_id, idempotency_key, claimed_by, due_at
    ) values (
      ${account}, ${charge.scope.livemode}, ${id}, 'processing', ${charge.price.amountMinor},
      ${charge.price.currency}, ${charge.captureMethod}, ${charge.processor},
      ${paymentMethodUuid(charge.paymentMethodId)}, ${JSON.stringify(charge.card)}, ${charge.risk.outcome},
      ${charge.risk.score}, ${charge.risk.reasons},
      ${charge.risk.details && JSON.stringify(charge.risk.details)}, ${charge.description}, ${charge.statementDescriptor},
      ${charge.offSession}, ${charge.returnUrl}, ${JSON.stringify(charge.metadata)},
      ${charge.request && uuidOf(charge.request.id)}, ${idempotency?.key ?? null}, ${claimedBy}, ${dueAt}
    )
  `;
  return true;
}

async function commitCharge(tx: Tx, transition: Transition<"chargeOutcome">): Promise<boolean> {
  const { scope, change, entries = [], events = [], response } = transition;
  const { version, row } = change;
  const { livemode } = scope;
  const account = uuidOf(scope.account);
  const id = uuidOf(change.id);
  const committed = await tx<{ idempotency_key: string | null }>`
    update charges
       set status = ${row.status}, version = ${version}, amount_captured = ${row.amount_captured},
           checks = ${row.checks && JSON.stringify(row.checks)}, due_at = ${row.due_at},
           finalized_at = ${row.finalized_at}
     where account_id = ${account} and livemode = ${livemode} and id = ${id}
       and version = ${version - 1} and status = 'processing'
    returning idempotency_key
  `;
  if (!committed[0]) return false;
  for (const entry of entries) {
    for (const [index, transfer] of entry.transfers.entries()) {
      await tx`
        insert into ledger_transfers (
          account_id, livemode, entry_id, line, kind, debit, credit, amount, currency, source_id
        ) values (
          ${account}, ${livemode}, ${uuidOf(entry.id)}, ${index + 1}, ${transfer.kind}, ${transfer.debit},
          ${transfer.credit}, ${transfer.amountMinor}, ${entry.currency}, ${id}
        )
      `;
    }
  }
  for (const event of events) await insertEvent(tx, scope, event);
  const key = committed[0].idempotency_key;
  const [event] = events;
  if (key && response) {
    // As in the service, a response that equals the event's object is stored only once, in the event.
    const inEvent = response.isInEvent && event;
    await tx`
      update idempotency_keys
         set status_code = ${response.status}, response = ${inEvent ? null : response.body},
             event_id = ${inEvent ? uuidOf(event.id) : null}
       where account_id = ${account} and livemode = ${livemode} and key = ${key}
    `;
  }
  return true;
}

async function insertAuthorization(tx: Tx, authorization: Authorization): Promise<void> {
  await tx`
    insert into simulator.authorizations
           (merchant, reference, amount, approved, currency, captured, state, checks)
    values (${authorization.merchant}, ${authorization.reference}, ${authorization.amountMinor}, ${authorization.approvedMinor}, ${authorization.currency},
            ${authorization.captured}, ${authorization.state}, ${authorization.checks})
  `;
}
