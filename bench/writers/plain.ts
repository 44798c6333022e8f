import { paymentMethodUuid } from "@florin/server/cards/payment-methods/payment-method-id.ts";
import { uuidOf } from "@florin/server/core/ids.ts";
import { balanceTransactionIdOf } from "@florin/server/payments/charges/charge.ts";
import type { ChargeOutcome } from "@florin/server/payments/charges/finalize-charges.sql.ts";
import type { NewCharge } from "@florin/server/payments/charges/insert-charges.sql.ts";
import { openDatabase } from "@florin/server/platform/database/database.ts";
import type { Tx } from "@florin/server/platform/database/sql.ts";
import { insertEvent } from "@florin/server/webhooks/events/outbox.sql.ts";
import type { Authorization } from "@florin/simulator/authorization.ts";
import { poolSize, type Writers } from "./writers.ts";

/**
 * The usual way to write the same rows: a connection pool and two transactions per charge, with one prepared statement
 * per row.
 */
export function plainTransactions(databaseUrl: string): Writers {
  const database = openDatabase({
    url: databaseUrl,
    poolSize,
    onIdleError: (error) => console.error(error.message),
  });
  return {
    insertCharge: (newCharge) => database.transaction((tx) => insertCharge(tx, newCharge)),
    finalizeCharge: (outcome) => database.transaction((tx) => finalizeCharge(tx, outcome)),
    recordAuthorization: (line) => database.transaction((tx) => insertAuthorization(tx, line)),
    close: database.close,
  };
}

async function insertCharge(tx: Tx, newCharge: NewCharge): Promise<boolean> {
  const { charge, idempotency, claimedBy, dueAt } = newCharge;
  const account = uuidOf(charge.owner.account);
  const id = uuidOf(charge.id);
  if (idempotency) {
    const claimed = await tx`
      insert into idempotency_keys (account_id, livemode, key, fingerprint, charge_id)
      values (${account}, ${charge.owner.livemode}, ${idempotency.key}, ${idempotency.fingerprint}, ${id})
          on conflict (account_id, livemode, key) do nothing
      returning key
    `;
    if (claimed.length === 0) return false;
  }
  await tx`
    insert into charges (
      account_id, livemode, id, status, amount, currency, capture_method, processor, payment_method_id, card,
      decision_outcome, risk_score, decision_reasons, decision_facts, description, statement_descriptor, off_session, return_url,
      metadata, request_id, idempotency_key, claimed_by, due_at
    ) values (
      ${account}, ${charge.owner.livemode}, ${id}, 'processing', ${charge.price.amountMinor},
      ${charge.price.currency}, ${charge.captureMethod}, ${charge.processor},
      ${paymentMethodUuid(charge.paymentMethodId)}, ${JSON.stringify(charge.card)}, ${charge.risk.outcome},
      ${charge.risk.score}, ${charge.risk.reasons},
      ${charge.risk.facts && JSON.stringify(charge.risk.facts)}, ${charge.description}, ${charge.statementDescriptor},
      ${charge.offSession}, ${charge.returnUrl}, ${JSON.stringify(charge.metadata)},
      ${charge.request && uuidOf(charge.request.id)}, ${idempotency?.key ?? null}, ${claimedBy}, ${dueAt}
    )
  `;
  return true;
}

async function finalizeCharge(tx: Tx, outcome: ChargeOutcome): Promise<boolean> {
  const { charge, transfers, event, answer } = outcome;
  const { livemode } = charge.owner;
  const account = uuidOf(charge.owner.account);
  const id = uuidOf(charge.id);
  const finalized = await tx`
    update charges
       set status = ${charge.status}, version = ${charge.version},
           amount_captured = ${charge.status === "succeeded" ? charge.capturedMinor : 0},
           checks = ${charge.checks && JSON.stringify(charge.checks)}, due_at = ${outcome.dueAt},
           finalized_at = ${"finalizedAt" in charge ? charge.finalizedAt : null}
     where account_id = ${account} and livemode = ${livemode} and id = ${id}
       and version = ${charge.version - 1} and status = 'processing'
    returning id
  `;
  if (finalized.length === 0) return false;
  for (const [index, transfer] of transfers.entries()) {
    await tx`
      insert into ledger_transfers (
        account_id, livemode, entry_id, line, kind, debit, credit, amount, currency, source_id
      ) values (
        ${account}, ${livemode}, ${uuidOf(balanceTransactionIdOf(charge.id))}, ${index + 1}, ${transfer.kind},
        ${transfer.debit}, ${transfer.credit}, ${transfer.amountMinor}, ${charge.price.currency}, ${id}
      )
    `;
  }
  if (event) await insertEvent(tx, charge.owner, event);
  const key = charge.request?.idempotencyKey;
  if (key) {
    // A response that equals the event's object is not stored twice. The service does this too.
    const inEvent = event !== null && answer.status === 201;
    await tx`
      update idempotency_keys
         set status_code = ${answer.status}, answer = ${inEvent ? null : answer.body},
             event_id = ${inEvent ? uuidOf(event.id) : null}
       where account_id = ${account} and livemode = ${livemode} and key = ${key}
    `;
  }
  return true;
}

async function insertAuthorization(tx: Tx, line: Authorization): Promise<void> {
  await tx`
    insert into simulator.authorizations
           (merchant, reference, amount, approved, currency, captured, state, checks)
    values (${line.merchant}, ${line.reference}, ${line.amountMinor}, ${line.approvedMinor}, ${line.currency},
            ${line.captured}, ${line.state}, ${line.checks})
  `;
}
