import type { AuthorizationOutcome } from "../../acquiring/outcome.ts";
import type { Processor } from "../../acquiring/processor.ts";
import { type ChargeableMethod, routedCard } from "../../cards/payment-methods/payment-methods.ts";
import { commitTransition } from "../commit/commit-transitions.sql.ts";
import {
  type Cardholder,
  lacksCardholderEvidence,
  neverHappened,
  sendAuthorization,
  sendGatewayToken,
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
  const send = sendWith(charge, method, cardholder);
  if (send === null) return { charge, outcome: neverHappened };
  const card = routedCard(method);
  return authorizeInTurn(
    {
      now: deps.clock.now,
      send,
      // The cryptogram of a network token is valid for one authorization only.
      mayCascade: (declined) =>
        !card.isNetworkToken &&
        deps.acquirers.cascades(charge.scope) &&
        mayCascade(declined, method.record),
      next: (current, tried) => {
        const { id: key, scope, price, metadata } = current;
        return deps.acquirers.chooseNext(scope, { key, price, card, metadata }, tried);
      },
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

/**
 * Returns the function that sends the authorization request. Returns null if the request must not be sent, because the
 * card's security code or cryptogram, or the wallet's token, is no longer in memory. The vault returns these only once,
 * so the returned function keeps them for later attempts.
 */
function sendWith(
  charge: ProcessingCharge,
  method: ChargeableMethod,
  cardholder: Cardholder,
): ((acquirer: Processor, charge: ProcessingCharge) => Promise<AuthorizationOutcome>) | null {
  if (method.kind === "gateway_token") {
    const token = method.takeToken();
    return token && ((acquirer, current) => sendGatewayToken(acquirer, current, method, token));
  }
  const card = method.forAuthorization();
  if (lacksCardholderEvidence(charge, method, card, cardholder)) return null;
  const payment = { card, purpose: method.purpose };
  return (acquirer, current) => sendAuthorization(acquirer, current, payment, cardholder);
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
