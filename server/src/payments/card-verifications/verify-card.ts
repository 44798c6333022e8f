import { setTimeout as sleep } from "node:timers/promises";
import type { CardVerifier } from "../../acquiring/acquirers.ts";
import type { AuthorizationOutcome } from "../../acquiring/outcome.ts";
import { recordConsent } from "../../cards/payment-methods/payment-method.sql.ts";
import type { ChargeableCard } from "../../cards/payment-methods/payment-methods.ts";
import { credentialUse } from "../../cards/payment-methods/purpose.ts";
import { type CheckoutSessionId, type CustomerId, newId, type RequestId } from "../../core/ids.ts";
import type { Currency } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import type { Idempotency } from "../../platform/http/route.ts";
import { ok } from "../../platform/http/route.ts";
import type { Assessment } from "../../risk/assess.ts";
import { blockedFailure } from "../charges/apply-response.ts";
import { type Cardholder, payerOf } from "../charges/call-acquirer.ts";
import type { ChargeDeps } from "../charges/charge-deps.ts";
import { insertVerification } from "./card-verification.sql.ts";
import {
  type CardVerification,
  challengeVerification,
  failVerification,
  type ProcessingVerification,
} from "./card-verification.ts";
import { recordResponse, recordVerification, verificationDueAt } from "./record-verification.ts";

/** The validated parameters of a new verification. */
export type VerifyCard = {
  readonly scope: Scope;
  readonly currency: Currency;
  readonly paymentMethod: ChargeableCard;
  /** The time at which the cardholder agreed to save the card. */
  readonly consentedAt: Date;
  readonly verifier: CardVerifier;
  readonly assessment: Assessment;
  readonly customerId: CustomerId;
  readonly checkoutSessionId: CheckoutSessionId;
  readonly requestId: RequestId;
  readonly idempotency: Idempotency;
};

/**
 * Verifies a card for its session once. Does nothing if the session is not open, or if the same request has already
 * claimed the idempotency key.
 */
export async function verifyCard(deps: ChargeDeps, command: VerifyCard): Promise<void> {
  const verification = startVerification(deps, command);

  // 1. Record the intent, so that after a crash a job can end the verification.
  if (!(await insertIntent(deps, verification, command))) return;

  // 2. Stop if the card is blocked or the cardholder must authenticate first.
  const { verdict, authenticate, decline } = command.assessment;
  if (verdict === "decline") {
    await recordVerification(deps, verification, (current, now) =>
      failVerification(current, blockedFailure(decline), now),
    );
    return;
  }
  if (authenticate || verdict === "challenge") {
    await recordVerification(deps, verification, challengeVerification);
    return;
  }

  // 3. Call the acquirer with no transaction open. Record the outcome: verification, session, saved card and event
  // together.
  await sendVerification(deps, command.verifier, verification, command.paymentMethod, {
    redirect: { returnUrl: deps.returnUrlOf(command.scope, verification.id), required: false },
  });
}

/** Sends the verification request, and records its outcome. */
export async function sendVerification(
  deps: ChargeDeps,
  verifier: CardVerifier,
  verification: ProcessingVerification,
  method: ChargeableCard,
  { authentication = null, redirect = null, browser = null }: Cardholder,
): Promise<CardVerification> {
  const card = method.forAuthorization();
  const outcome = await verifier.verifyCard({
    account: verification.scope.account,
    reference: verification.id,
    currency: verification.price.currency,
    card,
    authentication,
    network: verification.card.networks.preferred,
    use: credentialUse(method.purpose, false),
    redirect,
    payer: payerOf(verification, card, browser),
  });
  return recordResponse(deps, verification, outcome);
}

/**
 * Calls `read` until it returns an outcome other than `pending`, and at most five times. An acquirer can need some
 * seconds after the cardholder's return before it reports the outcome.
 */
export async function untilDecided(
  read: () => Promise<AuthorizationOutcome>,
): Promise<AuthorizationOutcome> {
  for (let reads = 1; ; reads++) {
    const outcome = await read();
    if (outcome.kind !== "pending" || reads === maxReads) return outcome;
    await sleep(readEveryMs);
  }
}

const maxReads = 5;
const readEveryMs = 1_000;

function startVerification(deps: ChargeDeps, command: VerifyCard): ProcessingVerification {
  const { verdict: outcome, score, reasons, details } = command.assessment;
  return {
    id: newId("cv", deps.clock.now()),
    scope: command.scope,
    status: "processing",
    version: 1,
    price: { amountMinor: 0, currency: command.currency },
    processor: command.verifier.name,
    assignmentId: command.verifier.assignmentId,
    acquirerReference: null,
    paymentMethodId: command.paymentMethod.id,
    card: command.paymentMethod.card,
    checks: null,
    threeDSecure: null,
    customerId: command.customerId,
    checkoutSessionId: command.checkoutSessionId,
    risk: { outcome, score, reasons, details },
    requestId: command.requestId,
  };
}

/** Thrown to roll back the claim of the idempotency key, because the session is not open. */
class SessionNotOpen extends Error {}

/**
 * Inserts the verification, records the cardholder's consent, and claims the idempotency key with its response. A
 * repeated request therefore starts no second verification, even while the first one runs. Returns false if the key is
 * taken or the session is not open.
 */
async function insertIntent(
  deps: ChargeDeps,
  verification: ProcessingVerification,
  { idempotency, consentedAt }: Pick<VerifyCard, "idempotency" | "consentedAt">,
): Promise<boolean> {
  const { scope, id, paymentMethodId } = verification;
  const dueAt = verificationDueAt(verification, deps.clock.now()) as Date;
  try {
    const response = await deps.idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
      if (!(await insertVerification(tx, verification, dueAt))) throw new SessionNotOpen();
      await recordConsent(tx, scope, paymentMethodId, consentedAt);
      return ok({ verification: id });
    });
    return response.replayed !== true;
  } catch (error) {
    if (error instanceof SessionNotOpen) return false;
    throw error;
  }
}
