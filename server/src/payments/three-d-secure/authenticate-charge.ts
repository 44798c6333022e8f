import assert from "node:assert/strict";
import type { ThreeDSecure } from "@florin/contract/charge.ts";
import { isVerifier } from "../../acquiring/acquirers.ts";
import { noAcquirer } from "../../acquiring/outcome.ts";
import type { PayerBrowser, Processor } from "../../acquiring/processor.ts";
import type { BrowserInformation } from "../../acquiring/three-d-secure/message.ts";
import {
  type ChargeableMethod,
  notAvailable,
} from "../../cards/payment-methods/payment-methods.ts";
import { type AttemptId, type ChargeId, parseId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { readVerification } from "../card-verifications/card-verification.sql.ts";
import {
  type Attempt,
  type ChallengedVerification,
  failVerification,
  isVerification,
  type ProcessingVerification,
  resumeVerification,
} from "../card-verifications/card-verification.ts";
import { recordResponse, recordVerification } from "../card-verifications/record-verification.ts";
import { sendVerification, untilDecided } from "../card-verifications/verify-card.ts";
import { readRedirect } from "../charges/acquirer-redirect.sql.ts";
import { failWith, processingError } from "../charges/apply-response.ts";
import { authorizeCharge, type SentCharge } from "../charges/authorize-charge.ts";
import { type Cardholder, neverHappened } from "../charges/call-acquirer.ts";
import { readCharge } from "../charges/charge.sql.ts";
import type { ChallengedCharge, Charge, ProcessingCharge } from "../charges/charge.ts";
import { readChargedSession } from "../charges/charged-session.ts";
import { recordAuthorization, recordCharge } from "../charges/record-charge.ts";
import { attemptOf, type CheckoutSession } from "../sessions/checkout-session.ts";
import { advance, find } from "./advance-authentication.ts";
import type { Authentication } from "./authentication.ts";
import {
  type AuthenticationVerdict,
  canceledVerdict,
  timedOutVerdict,
  verdictOf,
} from "./authentication-verdict.ts";
import {
  beginAuthentication,
  type Purchase,
  requestAuthentication,
} from "./request-authentication.ts";
import type { AuthenticationDeps } from "./three-d-secure-deps.ts";

/** A charge or card verification that waits for the cardholder's authentication. */
export type ChallengedAttempt = ChallengedCharge | ChallengedVerification;

/** Returns the charge or card verification with this ID, or null. */
export function readAttempt(
  { database }: Pick<AuthenticationDeps, "database">,
  scope: Scope,
  id: AttemptId,
): Promise<Attempt | null> {
  const verificationId = parseId("cv", id);
  return verificationId
    ? readVerification(database.read, scope, verificationId)
    : readCharge(database.read, scope, id as ChargeId);
}

/**
 * Looks up the card's 3-D Secure enrollment. If the issuer does not support 3-D Secure, continues the attempt
 * immediately. Does nothing if the acquirer authenticates the cardholder.
 */
export async function lookUpEnrollment(
  deps: AuthenticationDeps,
  attempt: ChallengedAttempt,
): Promise<void> {
  if (authenticatesItself(deps, attempt)) return;
  const begun = await beginAuthentication(deps.threeDSecure, await purchaseOf(deps, attempt));
  await followAuthentication(deps, begun);
}

/** Returns whether the acquirer authenticates the cardholder on its own page. */
function authenticatesItself(
  { acquirers }: AuthenticationDeps,
  attempt: ChallengedAttempt,
): boolean {
  return acquirers.of(attempt)?.resume != null;
}

/**
 * Sends the authentication request. If the issuer requires no challenge, continues the attempt immediately. If the
 * acquirer authenticates the cardholder itself, authorizes the attempt there instead.
 */
export async function sendAuthenticationRequest(
  deps: AuthenticationDeps,
  attempt: ChallengedAttempt,
  browser: BrowserInformation,
): Promise<void> {
  if (authenticatesItself(deps, attempt)) return authorizeAtAcquirer(deps, attempt, browser);
  const purchase = await purchaseOf(deps, attempt);
  const current =
    (await find(deps.threeDSecure, attempt.scope, attempt.id)) ??
    (await beginAuthentication(deps.threeDSecure, purchase));
  const next = await requestAuthentication(deps.threeDSecure, purchase, current, browser);
  await followAuthentication(deps, next);
}

/**
 * Authorizes the charge or verifies the card at an acquirer that authenticates the cardholder itself. The acquirer
 * approves the attempt, declines it, or redirects the cardholder to its page. Does nothing if the cardholder was
 * already redirected.
 */
async function authorizeAtAcquirer(
  deps: AuthenticationDeps,
  attempt: ChallengedAttempt,
  browser: BrowserInformation,
): Promise<void> {
  if (await readRedirect(deps.database.read, attempt)) return;
  const returnUrl = deps.returnUrlOf(attempt.scope, attempt.id);
  await authorizeAttempt(deps, attempt, null, {
    redirect: { returnUrl, required: true },
    browser: payerBrowser(browser),
  });
}

/** Authorizes the charge, or verifies the card. `threeDSecure` is stored, unless it is null. */
async function authorizeAttempt(
  deps: AuthenticationDeps,
  attempt: ChallengedAttempt,
  threeDSecure: ThreeDSecure | null,
  cardholder: Cardholder,
): Promise<void> {
  if (!isVerification(attempt)) {
    const changed = threeDSecure === null ? {} : { threeDSecure };
    return continueCharge(deps, attempt, changed, (...to) =>
      authorizeCharge(deps, ...to, cardholder),
    );
  }
  await continueVerification(deps, attempt, threeDSecure, async (processor, processing) => {
    const method = await deps.paymentMethods.findInUse(processing);
    if (method?.kind !== "card" || !isVerifier(processor)) {
      await recordResponse(deps, processing, neverHappened);
      return;
    }
    await sendVerification(deps, processor, processing, method, cardholder);
  });
}

/** Continues the attempt after the cardholder's return from the acquirer's page. A repeated return changes nothing. */
export async function resumeAuthorization(
  deps: AuthenticationDeps,
  { scope, attemptId }: { readonly scope: Scope; readonly attemptId: AttemptId },
  redirectResult: string,
): Promise<void> {
  const attempt = await readAttempt(deps, scope, attemptId);
  if (attempt?.status !== "requires_action") return;
  const stored = await readRedirect(deps.database.read, attempt);
  if (!stored) return;
  const { price, card, id: reference } = attempt;
  const resumeAt = async ({ resume }: Processor) =>
    resume
      ? resume({
          account: scope.account,
          reference,
          price,
          network: card.networks.preferred,
          redirectResult,
          resume: stored.resume,
        })
      : noAcquirer;
  if (isVerification(attempt)) {
    await continueVerification(deps, attempt, null, async (processor, processing) => {
      const outcome = await untilDecided(() => resumeAt(processor));
      await recordResponse(deps, processing, outcome);
    });
    return;
  }
  await continueCharge(deps, attempt, {}, async (processor, processing) => ({
    charge: processing,
    outcome: await resumeAt(processor),
  }));
}

/**
 * Reads the outcome at an acquirer that authorizes the payment before the cardholder returns. Returns false for a
 * charge at any other acquirer, and for a charge whose cardholder was not redirected.
 */
export async function readAuthorization(
  deps: AuthenticationDeps,
  charge: ChallengedCharge,
): Promise<boolean> {
  if (!(await canBeAuthorizedAlone(deps, charge))) return false;
  await resumeAuthorization(deps, { scope: charge.scope, attemptId: charge.id }, "");
  return true;
}

/**
 * Returns whether the acquirer can authorize the charge without another request, because it redirected the cardholder.
 */
export async function canBeAuthorizedAlone(
  { acquirers, database }: AuthenticationDeps,
  charge: Charge,
): Promise<boolean> {
  if (!acquirers.of(charge)?.authorizesBeforeReturn) return false;
  return (await readRedirect(database.read, charge)) !== null;
}

function payerBrowser(browser: BrowserInformation): PayerBrowser {
  return {
    acceptHeader: browser.browserAcceptHeader,
    userAgent: browser.browserUserAgent,
    language: browser.browserLanguage,
    javaEnabled: browser.browserJavaEnabled ?? false,
    colorDepth: Number(browser.browserColorDepth),
    screenHeight: Number(browser.browserScreenHeight),
    screenWidth: Number(browser.browserScreenWidth),
    timeZoneOffset: Number(browser.browserTZ),
  };
}

async function purchaseOf(deps: AuthenticationDeps, attempt: ChallengedAttempt): Promise<Purchase> {
  const { scope } = attempt;
  const method = await deps.paymentMethods.findInUse(attempt);
  // The card was detached and erased while the attempt was being created. A wallet's token is never authenticated.
  if (method?.kind !== "card") throw notAvailable(attempt.paymentMethodId);
  const { name, country } = await deps.accounts.get(scope.account);
  return {
    scope,
    attemptId: attempt.id,
    purpose: isVerification(attempt) ? "add_card" : "payment",
    price: attempt.price,
    brand: attempt.card.brand,
    credentials: method.credentials,
    merchant: { name, country },
    demanded: await requiresAuthentication(deps, attempt),
  };
}

/**
 * Continues the attempt if its authentication has ended. Every code path that ends an authentication calls this
 * function immediately. After a crash, a job calls it.
 */
export async function followAuthentication(
  deps: AuthenticationDeps,
  authentication: Authentication,
): Promise<void> {
  if (authentication.state !== "ended" || authentication.handedOver) return;
  const { scope, attemptId } = authentication;
  const attempt = await readAttempt(deps, scope, attemptId);
  if (attempt?.status === "requires_action") {
    await applyVerdict(
      deps,
      attempt,
      verdictOf(authentication, await requiresAuthentication(deps, attempt)),
    );
  }
  await advance(deps.threeDSecure, authentication, { kind: "handed_over" });
}

/**
 * Cancels a session's authentication because the customer closed the challenge. Has no effect if the issuer's result is
 * already recorded.
 */
export async function cancelChallenge(
  deps: AuthenticationDeps,
  session: CheckoutSession,
): Promise<void> {
  const attemptId = attemptOf(session);
  if (session.status !== "requires_action" || !attemptId) return;
  const attempt = await readAttempt(deps, session.scope, attemptId);
  if (attempt?.status === "requires_action") await cancelAuthentication(deps, attempt);
}

/**
 * Ends the authentication because the customer closed the challenge or the merchant canceled the charge. The browser
 * channel of EMV 3DS has no message that informs the ACS.
 */
export async function cancelAuthentication(
  deps: AuthenticationDeps,
  attempt: ChallengedAttempt,
): Promise<void> {
  const current = await find(deps.threeDSecure, attempt.scope, attempt.id);
  if (!current) return applyVerdict(deps, attempt, canceledVerdict);
  const { authentication } = await advance(deps.threeDSecure, current, { kind: "canceled" });
  await followAuthentication(deps, authentication);
}

/**
 * Fails an attempt whose authentication was not started before the attempt's deadline. An authentication in progress
 * has separate deadlines. If the acquirer may already have authorized the charge, reads the outcome from the acquirer
 * instead. A verification always fails, because it moves no money.
 */
export async function timeOutAuthentication(
  deps: AuthenticationDeps,
  attempt: ChallengedAttempt,
): Promise<void> {
  const current = await find(deps.threeDSecure, attempt.scope, attempt.id);
  if (!current) {
    if (!isVerification(attempt) && (await readAuthorization(deps, attempt))) return;
    return applyVerdict(deps, attempt, timedOutVerdict);
  }
  await followAuthentication(deps, current);
}

/** Returns whether the session requires 3-D Secure (`three_d_secure: "always"`). */
async function requiresAuthentication(
  deps: AuthenticationDeps,
  attempt: ChallengedAttempt,
): Promise<boolean> {
  const session = await readChargedSession(deps, attempt);
  return session?.details.three_d_secure === "always";
}

/** Authorizes or declines the attempt. A repeated or late verdict changes nothing. */
async function applyVerdict(
  deps: AuthenticationDeps,
  attempt: ChallengedAttempt,
  verdict: AuthenticationVerdict,
): Promise<void> {
  if (verdict.kind === "authorize") {
    const { threeDSecure, authenticationData: authentication } = verdict;
    return authorizeAttempt(deps, attempt, threeDSecure, { authentication });
  }
  const { code, threeDSecure } = verdict;
  const failure = { code, declineCode: code, networkDeclineCode: null };
  if (isVerification(attempt)) {
    await recordVerification(deps, attempt, (current, now) => ({
      ...failVerification(current, failure, now),
      threeDSecure,
    }));
    return;
  }
  await recordCharge(deps, attempt, (current, now) => ({
    ...failWith(current, failure, now),
    threeDSecure,
  }));
}

/**
 * Moves the charge to `processing` with the changed fields, and calls the acquirer. Of concurrent calls, only the one
 * whose transition is recorded calls the acquirer.
 */
async function continueCharge(
  deps: AuthenticationDeps,
  charge: ChallengedCharge,
  changed: Partial<Pick<ProcessingCharge, "threeDSecure">>,
  call: (
    processor: Processor,
    charge: ProcessingCharge,
    method: ChargeableMethod,
  ) => Promise<SentCharge>,
): Promise<void> {
  // Reads the card before the transition, so that the request follows the transition immediately. If the process died
  // between the two, a live acquirer might never report an outcome.
  const method = await deps.paymentMethods.findInUse(charge);
  let won: ProcessingCharge | null = null;
  const recorded = await recordCharge(deps, charge, (current) => {
    won = { ...resume(current), ...changed };
    return won;
  });
  if (recorded.charge !== won) return;

  const processing = recorded.charge as ProcessingCharge;
  const processor = deps.acquirers.of(charge);
  assert(processor, `${charge.id} has no processor`);
  const authorized = method
    ? await call(processor, processing, method)
    : { charge: processing, outcome: neverHappened };
  await recordAuthorization(deps, authorized);
}

/**
 * Moves the verification to `processing`, and calls the acquirer. Of concurrent calls, only the one whose transition is
 * recorded calls the acquirer. A verification whose connection has been retired fails.
 */
async function continueVerification(
  deps: AuthenticationDeps,
  verification: ChallengedVerification,
  threeDSecure: ThreeDSecure | null,
  call: (processor: Processor, verification: ProcessingVerification) => Promise<void>,
): Promise<void> {
  const resumed = resumeVerification(verification, threeDSecure);
  const recorded = await recordVerification(deps, verification, () => resumed);
  if (recorded !== resumed) return;
  const processor = deps.acquirers.of(verification);
  if (processor) return call(processor, resumed);
  await recordVerification(deps, resumed, (current, now) =>
    failVerification(current, processingError, now),
  );
}

function resume(charge: ChallengedCharge): ProcessingCharge {
  return {
    ...charge,
    version: charge.version + 1,
    status: "processing",
    pendingReason: null,
    reversalPending: false,
  };
}
