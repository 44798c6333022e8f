import assert from "node:assert/strict";
import type { AuthorizationOutcome } from "../../acquiring/outcome.ts";
import { assertTransition } from "../../core/transitions.ts";
import { saveRedirect } from "../charges/acquirer-redirect.sql.ts";
import { processingError } from "../charges/apply-response.ts";
import type { ChargeDeps } from "../charges/charge-deps.ts";
import { readChargedSession } from "../charges/charged-session.ts";
import { challengeExpiry, createLeaseMs } from "../charges/inquiry-schedule.ts";
import { writeThrough } from "../charges/record-charge.ts";
import { commitTransition } from "../commit/commit-transitions.sql.ts";
import type { Change, Transition } from "../commit/transition.ts";
import type { CheckoutSession } from "../sessions/checkout-session.ts";
import { lockSavableCard, readVerification } from "./card-verification.sql.ts";
import {
  type CardVerification,
  failVerification,
  type PendingVerification,
  type ProcessingVerification,
  verificationAfter,
  verificationTransitions,
} from "./card-verification.ts";
import { sessionAfter } from "./verified-session.ts";

/**
 * Records a verification's next state: verification, session, saved card and event in one commit. If another writer
 * changed the verification, returns the state that the other writer recorded. Each writer computes the next state from
 * the version that it has read, so only the first of several transitions is recorded.
 */
export async function recordVerification<From extends PendingVerification>(
  deps: ChargeDeps,
  from: From,
  decide: (verification: From, now: Date) => CardVerification,
): Promise<CardVerification> {
  const now = deps.clock.now();
  const decided = decide(from, now);
  assertTransition(verificationTransitions, from.id, from.status, decided.status);
  const session = await readChargedSession(deps, from);
  assert(session, `${from.id} has no session`);
  const recorded = await writeThrough(() => commit(deps, session, from, decided, now));
  if (recorded) {
    recordOutcome(deps, recorded);
    return recorded;
  }
  const stored = await readVerification(deps.database.read, from.scope, from.id);
  assert(stored, `${from.id} was inserted but is missing`);
  return stored;
}

/**
 * Records the outcome of a verification request. Stores a redirect to the acquirer's page first, so that a verification
 * that waits for the redirect always has it.
 */
export async function recordResponse(
  deps: ChargeDeps,
  verification: ProcessingVerification,
  outcome: AuthorizationOutcome,
): Promise<CardVerification> {
  if (outcome.kind === "requires_action") {
    await deps.database.autocommit((tx) => saveRedirect(tx, verification, outcome));
  }
  return recordVerification(deps, verification, (current, now) =>
    verificationAfter(current, outcome, now),
  );
}

/** Commits the next state. Returns the recorded state, or null if the verification has changed since it was read. */
function commit(
  deps: ChargeDeps,
  session: CheckoutSession,
  from: PendingVerification,
  decided: CardVerification,
  now: Date,
): Promise<CardVerification | null> {
  return deps.database.transaction(async (tx) => {
    // The customer was deleted or the card was detached in the meantime, so there is nothing left to save.
    const isLost = decided.status === "succeeded" && !(await lockSavableCard(tx, decided));
    const next = isLost ? failVerification(from, processingError, now) : decided;
    const isRecorded = await commitTransition(tx, verificationTransition(session, next, now));
    return isRecorded ? next : null;
  });
}

/** Returns the transition to a verification's next state: verification, session, saved card and event. */
export function verificationTransition(
  session: CheckoutSession,
  next: CardVerification,
  now: Date,
): Transition<"verificationOutcome"> {
  const { scope, id, version } = next;
  const { event, ...change } = sessionAfter(session, next, now);
  return {
    scope,
    change: { kind: "verificationOutcome", id, version, row: rowOf(next, now) },
    events: event ? [event] : [],
    session: { id: session.id, ...change },
    card:
      next.status === "succeeded"
        ? {
            paymentMethodId: next.paymentMethodId,
            customerId: next.customerId,
            approved: true,
            networkTransactionId: next.networkTransactionId,
            newDetails: next.newDetails,
            decidedAt: next.finalizedAt,
            verificationId: id,
          }
        : null,
  };
}

function rowOf(verification: CardVerification, now: Date): Change<"verificationOutcome">["row"] {
  const failure = verification.status === "failed" ? verification.failure : null;
  return {
    status: verification.status,
    checks: verification.checks,
    acquirer_reference: verification.acquirerReference,
    three_d_secure: verification.threeDSecure,
    failure_code: failure?.code ?? null,
    decline_code: failure?.declineCode ?? null,
    network_decline_code: failure?.networkDeclineCode ?? null,
    due_at: verificationDueAt(verification, now),
    finalized_at: "finalizedAt" in verification ? verification.finalizedAt : null,
  };
}

/**
 * Returns the time at which a job ends the verification if nothing else has ended it: the end of the request's lease,
 * or the deadline of the authentication. Returns null once the verification has ended.
 */
export function verificationDueAt(verification: CardVerification, now: Date): Date | null {
  switch (verification.status) {
    case "processing":
      return new Date(now.getTime() + createLeaseMs);
    case "requires_action":
      return challengeExpiry(verification.id);
    case "succeeded":
    case "failed":
      return null;
  }
}

/**
 * Passes the issuer's response to the risk engine, whose velocity counters do not distinguish verifications from
 * payments.
 */
function recordOutcome({ riskEngine }: ChargeDeps, verification: CardVerification): void {
  const { scope, status, card, checks, risk, checkoutSessionId: sessionId } = verification;
  if (checks === null || (status !== "failed" && status !== "succeeded")) return;
  const { email = null, ip = null, device = null } = risk.details ?? {};
  const declined = status === "failed";
  const { fingerprint } = card;
  riskEngine.recordOutcome(scope, { fingerprint, email, ip, device, sessionId, declined, checks });
}
