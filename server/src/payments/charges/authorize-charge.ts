import type { Processor } from "../../acquiring/processor.ts";
import type { RoutedPayment } from "../../acquiring/routing/routed-payment.ts";
import type { ChargeableMethod } from "../../cards/payment-methods/payment-methods.ts";
import type { CardCredentials } from "../../vault/card-number.ts";
import { commitTransition } from "../commit/commit-transitions.sql.ts";
import {
  type Cardholder,
  lacksCardholderEvidence,
  neverHappened,
  sendAuthorization,
} from "./call-acquirer.ts";
import { mayCascade } from "./cascade.ts";
import { readCharge } from "./charge.sql.ts";
import type { ProcessingCharge } from "./charge.ts";
import { type FailedAttempt, insertAttempt } from "./charge-attempt.sql.ts";
import type { ChargeDeps } from "./charge-deps.ts";
import { assignmentOf } from "./charge-row.ts";
import { type Attempted, authorizeInTurn } from "./failover.ts";
import { dueAt } from "./inquiry-schedule.ts";
import { recordDecline, writeThrough } from "./record-charge.ts";

/** The charge as last sent to an acquirer, and the outcome of that attempt. */
export type SentCharge = Attempted<ProcessingCharge>;

/**
 * Sends the authorization request. If the acquirer certainly has not processed it, sends it over the merchant's next
 * connection. If the account has opted in, also sends it over another connection after some declines. Never sends it
 * twice while the outcome of an attempt is unknown (docs/operating/adyen.md, "Failover").
 */
export async function authorizeCharge(
  deps: ChargeDeps,
  processor: Processor,
  charge: ProcessingCharge,
  method: ChargeableMethod,
  cardholder: Cardholder = {},
): Promise<SentCharge> {
  // Takes the security code from the vault once. It stays in memory until the last attempt has ended.
  const card = method.forAuthorization();
  if (lacksCardholderEvidence(charge, method, card, cardholder)) {
    return { charge, outcome: neverHappened };
  }
  const payment = { card, purpose: method.purpose };
  return authorizeInTurn(
    {
      now: deps.clock.now,
      send: (acquirer, current) => sendAuthorization(acquirer, current, payment, cardholder),
      // The cryptogram of a network token is valid for one authorization only.
      mayCascade: (declined) =>
        card.networkToken === undefined &&
        deps.acquirers.cascades(charge.scope) &&
        mayCascade(declined, method.record),
      next: (current, tried) =>
        deps.acquirers.chooseNext(current.scope, routedPayment(current, card), tried),
      async move(current, next, failed, outcome) {
        const moved = await moveCharge(deps, current, next, failed);
        if (!moved) return null;
        deps.log.failedOver(moved.id, outcome);
        if (outcome.kind === "declined") recordDecline(deps, moved, outcome.details.checks);
        return moved;
      },
    },
    processor,
    charge,
  );
}

function routedPayment(
  { id, price, card, metadata }: ProcessingCharge,
  { networkToken }: CardCredentials,
): RoutedPayment {
  const isNetworkToken = networkToken !== undefined;
  return { key: id, price, card: { ...card, isNetworkToken }, metadata };
}

/**
 * Moves the charge to another assignment before the request is sent there. After a crash, the outcome is therefore
 * looked up at the acquirer that may have received the request. Returns null if another writer has changed the charge.
 */
async function moveCharge(
  deps: ChargeDeps,
  charge: ProcessingCharge,
  { name, assignmentId }: Processor,
  failed: FailedAttempt,
): Promise<ProcessingCharge | null> {
  const moved = { ...charge, version: charge.version + 1, processor: name, assignmentId };
  const change = assignmentOf(moved, dueAt(moved, failed.endedAt, 0));
  const isMoved = await writeThrough(() =>
    deps.database.transaction(async (tx) => {
      if (!(await commitTransition(tx, { scope: charge.scope, change }))) return false;
      await insertAttempt(tx, charge, failed);
      return true;
    }),
  );
  return isMoved || (await wasMoved(deps, moved)) ? moved : null;
}

/** Returns whether an earlier commit moved the charge although the reply to that commit was lost. */
async function wasMoved(
  { database }: ChargeDeps,
  { id, scope, version, assignmentId }: ProcessingCharge,
): Promise<boolean> {
  const stored = await readCharge(database.read, scope, id);
  return stored?.version === version && stored.assignmentId === assignmentId;
}
