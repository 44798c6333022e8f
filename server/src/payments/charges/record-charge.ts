import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { EventType } from "@florin/contract/event.ts";
import { renderError } from "../../core/api-error.ts";
import { newId } from "../../core/ids.ts";
import { requireMove } from "../../core/moves.ts";
import type { Pricing } from "../../core/pricing.ts";
import { unreachable } from "../../core/unreachable.ts";
import { pricingIn } from "../../identity/accounts/amounts.ts";
import { QueueFull } from "../../platform/database/group-commit.ts";
import type { Answer } from "../../platform/http/route.ts";
import { type Decision, expiryOf } from "../../risk/decision.ts";
import { reviewOpened } from "../../risk/review-opened.ts";
import { type EventCause, type NewEvent, renderEvent } from "../../webhooks/events/event.ts";
import { chargeRecipe } from "../ledger/recipes.ts";
import { readCharge } from "./charge.sql.ts";
import { type Charge, chargeMoves, decisionIdOf, type MovingCharge } from "./charge.ts";
import type { ChargeDeps } from "./charge-deps.ts";
import { type ChargeLinks, chargeObject } from "./charge-object.ts";
import type { ChargedSession } from "./charged-session.ts";
import { declineError } from "./decline-error.ts";
import type { ChargeOutcome } from "./finalize-charges.sql.ts";
import { dueAt } from "./inquiry-schedule.ts";
import { cameLate, enterChange } from "./search-charges.ts";

/** A charge after recording, and the response to the request that created it. */
export type RecordedCharge = { readonly charge: Charge; readonly answer: Answer };

/**
 * Records a charge's next state: charge, ledger, event, deliveries, session and stored response together. If another
 * writer changed the charge, reads it again and repeats the decision. The first recorded end is final, whether it came
 * from the request, an inquiry or a notice. If `decide` returns null, the charge stays unchanged.
 */
export async function recordCharge<From extends MovingCharge>(
  deps: ChargeDeps,
  from: From,
  decide: (charge: From, now: Date) => Charge | null,
): Promise<RecordedCharge> {
  let current = from;
  for (;;) {
    const now = deps.clock.now();
    const session = current.checkoutSessionId
      ? await deps.readChargedSession(current.owner, current.checkoutSessionId)
      : null;
    const account = await deps.accounts.get(current.owner.account);
    const pricing = pricingIn(account, current.price.currency);
    const decided = decide(current, now);
    if (!decided) return { charge: current, answer: await answerKept(deps, current) };
    requireMove(chargeMoves, current.id, current.status, decided.status);
    const outcome = outcomeOf(deps, decided, { session, pricing, now });
    if (await writeThrough(() => deps.finalizeCharge(outcome))) {
      recordOutcome(deps, decided);
      if (cameLate(decided, now)) await deps.database.transaction((tx) => enterChange(tx, decided));
      // The writer that changed the charge first has also stored the response, and all callers return that one.
      const answer = current === from ? outcome.answer : await answerKept(deps, decided);
      return { charge: decided, answer };
    }

    const stored = await readCharge(deps.database.read, from.owner, from.id);
    assert(stored, `${from.id} was inserted but is missing`);
    if (stored.status !== from.status)
      return { charge: stored, answer: await answerKept(deps, stored) };
    current = stored as From;
  }
}

/**
 * Records the issuer's response in the risk engine, where it counts for later payments with this card and from this
 * address.
 */
function recordOutcome({ judge }: ChargeDeps, charge: Charge): void {
  const { owner, status, card, checks, risk, checkoutSessionId: sessionId } = charge;
  if (
    checks === null ||
    (status !== "failed" && status !== "succeeded" && status !== "authorized")
  ) {
    return;
  }
  const { email = null, ip = null, device = null } = risk.facts ?? {};
  const declined = status === "failed";
  const { fingerprint } = card;
  judge.learn(owner, { fingerprint, email, ip, device, sessionId, declined, checks });
}

/** The number of attempts to write an outcome while the database is unavailable. */
const writeAttempts = 6;

/**
 * Retries a write, so that a Postgres restart does not lose the acquirer's response. If all attempts fail, the charge
 * is still safe, and an inquiry obtains the same response later.
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

/** Returns the response that the first writer stored, so that the request and its replays are identical to the byte. */
async function answerKept(deps: ChargeDeps, charge: Charge): Promise<Answer> {
  const key = charge.request?.idempotencyKey;
  const record = key ? await deps.idempotencyKeys.find({ owner: charge.owner, key }) : null;
  if (record?.answer) return record.answer;
  return answerFor(
    charge,
    JSON.stringify(chargeObject(charge, deps.links.challengeUrl)),
    deps.links,
  );
}

/** The inputs of a charge's next state, in addition to the charge. */
export type OutcomeFacts = {
  readonly session: ChargedSession | null;
  readonly pricing: Pricing;
  readonly now: Date;
  /** The request that the event names. By default the one that created the charge. */
  readonly cause?: EventCause | null;
};

/** Returns everything that is written together with the next state of a charge. */
export function outcomeOf(
  deps: Pick<ChargeDeps, "links" | "chance">,
  charge: Charge,
  { session, pricing, now, cause = causeOf(charge) }: OutcomeFacts,
): ChargeOutcome {
  const object = JSON.stringify(chargeObject(charge, null));
  // Reuses one rendering where possible. The response for a charge that waits for 3-D Secure also has its challenge
  // URL.
  const answered =
    charge.status === "requires_action"
      ? JSON.stringify(chargeObject(charge, deps.links.challengeUrl))
      : object;
  const answer = answerFor(charge, answered, deps.links);
  const event = eventFor(charge, object, cause, now);
  return {
    charge,
    dueAt: dueAt(charge, now, deps.chance()),
    transfers: charge.status === "succeeded" ? chargeRecipe(charge.capturedMinor, pricing) : [],
    event,
    session: session?.transitionFor(charge, now) ?? null,
    review: reviewFor(charge, now),
    answer,
    answerIsInEvent: event !== null && answer.body === object,
  };
}

/**
 * Returns the review event of the service's own decision. For a merchant's decision it was emitted when that was made.
 */
function reviewFor(charge: Charge, now: Date): NewEvent | null {
  if (charge.status !== "authorized" || charge.risk.outcome !== "review") return null;
  const { id, owner, price, paymentMethodId, customerId, risk, threeDSecure } = charge;
  const { outcome, score, reasons, facts } = risk;
  const decision: Decision = {
    id: decisionIdOf(charge),
    owner,
    price,
    paymentMethodId,
    customerId,
    ip: facts?.ip ?? null,
    email: facts?.email ?? null,
    metadata: {},
    outcome,
    score,
    reasons,
    authenticate: threeDSecure !== null,
    facts,
    review: "open",
    chargeId: id,
    chargeVersion: charge.version,
    threeDSecure,
    expiresAt: expiryOf(decisionIdOf(charge)),
    superseded: false,
  };
  return reviewOpened(decision, causeOf(charge), now);
}

function eventFor(
  charge: Charge,
  object: string,
  cause: EventCause | null,
  now: Date,
): NewEvent | null {
  const type = eventTypeFor(charge);
  if (!type) return null;
  return renderEvent({
    id: newId("evt", now),
    type,
    owner: charge.owner,
    cause,
    objectId: charge.id,
    object,
  });
}

/** Omits the card form's idempotency keys, which the merchant does not know. */
function causeOf({ request, checkoutSessionId }: Charge): EventCause | null {
  return (
    request && { ...request, idempotencyKey: checkoutSessionId ? null : request.idempotencyKey }
  );
}

/** Event names as published. `payment_failed` has an underscore. */
function eventTypeFor(charge: Charge): EventType | null {
  switch (charge.status) {
    case "succeeded":
      return "payment.succeeded";
    case "failed":
      return "payment_failed";
    case "authorized":
      return "payment.authorized";
    case "requires_action":
      return "payment.requires_action";
    case "canceled":
      return "payment.canceled";
    case "processing":
      return null;
    default:
      return unreachable(charge);
  }
}

/** Returns the response to the request that created the charge: 402 for a decline, otherwise 201 with the charge. */
function answerFor(charge: Charge, object: string, { baseUrl }: ChargeLinks): Answer {
  if (charge.status !== "failed") return { status: 201, body: object };
  const error = declineError(charge);
  const body = renderError(error, charge.request?.id ?? null, baseUrl());
  return { status: error.status, body };
}
