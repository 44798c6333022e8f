import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { AuthorizationOutcome, CardChecks } from "../../acquiring/outcome.ts";
import { assertTransition } from "../../core/transitions.ts";
import { pricingIn } from "../../identity/accounts/fees-and-limits.ts";
import { QueueFull } from "../../platform/database/group-commit.ts";
import type { ApiResponse } from "../../platform/http/route.ts";
import { saveRedirect } from "./acquirer-redirect.sql.ts";
import { applyResponse } from "./apply-response.ts";
import { readCharge } from "./charge.sql.ts";
import {
  type Charge,
  chargeTransitions,
  type PendingCharge,
  type ProcessingCharge,
} from "./charge.ts";
import type { ChargeDeps } from "./charge-deps.ts";
import { chargeText } from "./charge-text.ts";
import { chargeTransition, responseFor } from "./charge-transition.ts";
import { readChargedSession } from "./charged-session.ts";

/** A charge after recording, and the response to the request that created it. */
export type RecordedCharge = { readonly charge: Charge; readonly response: ApiResponse };

/**
 * Records a charge's next state: charge, ledger, event, deliveries, session and stored response in one commit. If
 * another writer changed the charge, reads it again and calls `decide` again. The first final state wins, whether it
 * came from the request, an inquiry or a notification. If `decide` returns null, or if the charge was sent over another
 * connection in the meantime, nothing is written.
 */
export async function recordCharge<From extends PendingCharge>(
  deps: ChargeDeps,
  from: From,
  decide: (charge: From, now: Date) => Charge | null,
): Promise<RecordedCharge> {
  let current = from;
  for (;;) {
    const now = deps.clock.now();
    const session = await readChargedSession(deps, current);
    const account = await deps.accounts.get(current.scope.account);
    const pricing = pricingIn(account, current.price.currency);
    const decided = decide(current, now);
    if (!decided) return { charge: current, response: await storedResponseOf(deps, current) };
    assertTransition(chargeTransitions, current.id, current.status, decided.status);
    const transition = chargeTransition(deps, decided, { session, pricing, now });
    if (await writeThrough(() => deps.commits.commitCharge(transition))) {
      recordOutcome(deps, decided);
      // Returns the stored response if another writer was first, because every caller must return the same response.
      const response =
        current === from ? transition.response : await storedResponseOf(deps, decided);
      return { charge: decided, response };
    }

    const stored = await readCharge(deps.database.read, from.scope, from.id);
    assert(stored, `${from.id} was inserted but is missing`);
    // A charge that was sent over another connection in the meantime waits for the outcome of that attempt. The outcome
    // of an earlier attempt must not end it, because the next acquirer may approve it.
    if (stored.status !== from.status || stored.assignmentId !== from.assignmentId)
      return { charge: stored, response: await storedResponseOf(deps, stored) };
    current = stored as From;
  }
}

/**
 * Records the outcome of an authorization. A notification that arrives in the meantime waits for the recorded charge,
 * and a later notification is compared with the outcome in memory (`recordedOutcomes`).
 */
export function recordAuthorization(
  deps: ChargeDeps,
  authorized: { readonly charge: ProcessingCharge; readonly outcome: AuthorizationOutcome },
): Promise<RecordedCharge> {
  const recorded = saveAndRecord(deps, authorized);
  deps.recordedOutcomes.add(authorized.charge, recorded);
  return recorded;
}

/**
 * Records the outcome in the database. Stores a redirect to the acquirer's page first, so that a charge that waits for
 * the redirect always has it.
 */
async function saveAndRecord(
  deps: ChargeDeps,
  {
    charge,
    outcome,
  }: { readonly charge: ProcessingCharge; readonly outcome: AuthorizationOutcome },
): Promise<RecordedCharge> {
  if (outcome.kind === "requires_action") {
    await deps.database.autocommit((tx) => saveRedirect(tx, charge, outcome));
  }
  return recordCharge(deps, charge, (current, now) => applyResponse(current, outcome, now));
}

/**
 * Passes the issuer's response to the risk engine, whose velocity counters affect later payments with the same card,
 * email address, IP address and device.
 */
function recordOutcome(deps: ChargeDeps, charge: Charge): void {
  const { status, checks } = charge;
  if (
    checks === null ||
    (status !== "failed" && status !== "succeeded" && status !== "authorized")
  ) {
    return;
  }
  recordResponse(deps, charge, { declined: status === "failed", checks });
}

/** Passes the decline of an attempt to the risk engine. The charge is then sent over another connection. */
export function recordDecline(deps: ChargeDeps, charge: Charge, checks: CardChecks): void {
  recordResponse(deps, charge, { declined: true, checks });
}

function recordResponse(
  { riskEngine }: ChargeDeps,
  { scope, card, risk, checkoutSessionId: sessionId }: Charge,
  response: { readonly declined: boolean; readonly checks: CardChecks },
): void {
  const { email = null, ip = null, device = null } = risk.details ?? {};
  const { fingerprint } = card;
  riskEngine.recordOutcome(scope, { fingerprint, email, ip, device, sessionId, ...response });
}

/** The number of attempts to write an outcome while the database is unavailable. */
const writeAttempts = 6;

/**
 * Retries a write, so that a Postgres restart does not lose the acquirer's response. If every attempt fails, the charge
 * stays in `processing`, and a status inquiry returns the same response later.
 */
export async function writeThrough<Written>(write: () => Promise<Written>): Promise<Written> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (attempt === writeAttempts || error instanceof QueueFull) throw error;
      await sleep(50 * 2 ** attempt);
    }
  }
}

/**
 * Returns the response that the first writer stored, so that the first response and its replays are identical byte for
 * byte.
 */
async function storedResponseOf(deps: ChargeDeps, charge: Charge): Promise<ApiResponse> {
  const key = charge.request?.idempotencyKey;
  const record = key ? await deps.idempotencyKeys.find({ scope: charge.scope, key }) : null;
  if (record?.response) return record.response;
  const object = chargeText(charge, deps.links);
  return responseFor(charge, object, deps.links);
}
