import assert from "node:assert/strict";
import { noAcquirer } from "../../acquiring/outcome.ts";
import type { PayerBrowser, Processor } from "../../acquiring/processor.ts";
import type { BrowserInformation } from "../../acquiring/three-d-secure/message.ts";
import {
  type ChargeableMethod,
  notAvailable,
} from "../../cards/payment-methods/payment-methods.ts";
import type { ChargeId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { readRedirect } from "../charges/acquirer-redirect.sql.ts";
import { failWith } from "../charges/apply-response.ts";
import { authorizeCharge, type SentCharge } from "../charges/authorize-charge.ts";
import { neverHappened } from "../charges/call-acquirer.ts";
import { readCharge } from "../charges/charge.sql.ts";
import type { ChallengedCharge, Charge, ProcessingCharge } from "../charges/charge.ts";
import { readChargedSession } from "../charges/charged-session.ts";
import { recordAuthorization, recordCharge } from "../charges/record-charge.ts";
import type { CheckoutSession } from "../sessions/checkout-session.ts";
import { advance, find } from "./advance.ts";
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

/**
 * Looks up the card's 3-D Secure enrollment. If the issuer does not take part, continues the charge immediately. Does
 * nothing if the acquirer authenticates the cardholder.
 */
export async function lookUpEnrollment(
  deps: AuthenticationDeps,
  charge: ChallengedCharge,
): Promise<void> {
  if (authenticatesItself(deps, charge)) return;
  const begun = await beginAuthentication(deps.threeDSecure, await purchaseOf(deps, charge));
  await followAuthentication(deps, begun);
}

/** Returns whether the acquirer authenticates the cardholder on its own page. */
function authenticatesItself({ acquirers }: AuthenticationDeps, charge: ChallengedCharge): boolean {
  return acquirers.of(charge)?.resume != null;
}

/** Sends the authentication request. If the issuer requires no challenge, continues the charge immediately. */
export async function sendAuthenticationRequest(
  deps: AuthenticationDeps,
  charge: ChallengedCharge,
  browser: BrowserInformation,
): Promise<void> {
  if (authenticatesItself(deps, charge)) return authorizeAtAcquirer(deps, charge, browser);
  const purchase = await purchaseOf(deps, charge);
  const current =
    (await find(deps.threeDSecure, charge.scope, charge.id)) ??
    (await beginAuthentication(deps.threeDSecure, purchase));
  const next = await requestAuthentication(deps.threeDSecure, purchase, current, browser);
  await followAuthentication(deps, next);
}

/**
 * Authorizes the charge at an acquirer that authenticates the cardholder itself. The acquirer approves the charge,
 * declines it, or redirects the cardholder to its page. Does nothing if the cardholder was already redirected.
 */
async function authorizeAtAcquirer(
  deps: AuthenticationDeps,
  charge: ChallengedCharge,
  browser: BrowserInformation,
): Promise<void> {
  if (await readRedirect(deps.database.read, charge)) return;
  const returnUrl = deps.returnUrlOf(charge.scope, charge.id);
  await continueCharge(deps, charge, {}, (processor, processing, method) =>
    authorizeCharge(deps, processor, processing, method, {
      redirect: { returnUrl, required: true },
      browser: payerBrowser(browser),
    }),
  );
}

/** Continues the charge after the cardholder's return from the acquirer's page. A repeated return changes nothing. */
export async function resumeAuthorization(
  deps: AuthenticationDeps,
  { scope, chargeId }: { readonly scope: Scope; readonly chargeId: ChargeId },
  redirectResult: string,
): Promise<void> {
  const charge = await readCharge(deps.database.read, scope, chargeId);
  if (charge?.status !== "requires_action") return;
  const stored = await readRedirect(deps.database.read, charge);
  if (!stored) return;
  const { price, card, id: reference } = charge;
  await continueCharge(deps, charge, {}, async (processor, processing) => ({
    charge: processing,
    outcome: processor.resume
      ? await processor.resume({
          account: scope.account,
          reference,
          price,
          network: card.networks.preferred,
          redirectResult,
          resume: stored.resume,
        })
      : noAcquirer,
  }));
}

/**
 * Reads the outcome at an acquirer that authorizes the payment before the cardholder returns. Returns false for a charge
 * at any other acquirer, and for a charge whose cardholder was not redirected.
 */
export async function readAuthorization(
  deps: AuthenticationDeps,
  charge: ChallengedCharge,
): Promise<boolean> {
  if (!(await canBeAuthorizedAlone(deps, charge))) return false;
  await resumeAuthorization(deps, { scope: charge.scope, chargeId: charge.id }, "");
  return true;
}

/** Returns whether the acquirer can authorize the charge without another request, because it redirected the cardholder. */
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

async function purchaseOf(deps: AuthenticationDeps, charge: Charge): Promise<Purchase> {
  const { scope } = charge;
  const method = await deps.paymentMethods.findInUse(charge);
  // The card was detached and erased while the charge was being created.
  if (!method) throw notAvailable(charge.paymentMethodId);
  const { name, country } = await deps.accounts.get(scope.account);
  return {
    scope,
    chargeId: charge.id,
    price: charge.price,
    brand: charge.card.brand,
    credentials: method.credentials,
    merchant: { name, country },
    demanded: await requiresAuthentication(deps, charge),
  };
}

/**
 * Continues the charge if its authentication has ended. Every code path that ends an authentication calls this function
 * immediately. After a crash, a job calls it.
 */
export async function followAuthentication(
  deps: AuthenticationDeps,
  authentication: Authentication,
): Promise<void> {
  if (authentication.state !== "ended" || authentication.handedOver) return;
  const { scope, chargeId } = authentication;
  const charge = await readCharge(deps.database.read, scope, chargeId);
  if (charge?.status === "requires_action") {
    await applyVerdict(
      deps,
      charge,
      verdictOf(authentication, await requiresAuthentication(deps, charge)),
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
  if (session.status !== "requires_action" || !session.chargeId) return;
  const charge = await readCharge(deps.database.read, session.scope, session.chargeId);
  if (charge?.status === "requires_action") await cancelAuthentication(deps, charge);
}

/**
 * Ends the authentication because the customer closed the challenge or the merchant canceled the charge. The browser
 * channel of EMV 3DS has no message that informs the ACS.
 */
export async function cancelAuthentication(
  deps: AuthenticationDeps,
  charge: ChallengedCharge,
): Promise<void> {
  const current = await find(deps.threeDSecure, charge.scope, charge.id);
  if (!current) return applyVerdict(deps, charge, canceledVerdict);
  const { authentication } = await advance(deps.threeDSecure, current, { kind: "canceled" });
  await followAuthentication(deps, authentication);
}

/**
 * Fails a charge whose authentication was not started before the charge's deadline. An authentication in progress has
 * separate deadlines. At an acquirer that may have authorized the payment, that payment determines the outcome.
 */
export async function timeOutAuthentication(
  deps: AuthenticationDeps,
  charge: ChallengedCharge,
): Promise<void> {
  const current = await find(deps.threeDSecure, charge.scope, charge.id);
  if (!current) {
    if (await readAuthorization(deps, charge)) return;
    return applyVerdict(deps, charge, timedOutVerdict);
  }
  await followAuthentication(deps, current);
}

/** Returns whether the session requires 3-D Secure (`three_d_secure: "always"`). */
async function requiresAuthentication(deps: AuthenticationDeps, charge: Charge): Promise<boolean> {
  const session = await readChargedSession(deps, charge);
  return session?.details.three_d_secure === "always";
}

/** Authorizes or declines the charge. A repeated or late verdict changes nothing. */
async function applyVerdict(
  deps: AuthenticationDeps,
  charge: ChallengedCharge,
  verdict: AuthenticationVerdict,
): Promise<void> {
  if (verdict.kind === "decline") {
    await recordCharge(deps, charge, (current, now) => decline(current, verdict, now));
    return;
  }
  const { threeDSecure, authenticationData: authentication } = verdict;
  await continueCharge(deps, charge, { threeDSecure }, (...to) =>
    authorizeCharge(deps, ...to, { authentication }),
  );
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

type Verdict<Kind> = Extract<AuthenticationVerdict, { kind: Kind }>;

function resume(charge: ChallengedCharge): ProcessingCharge {
  return {
    ...charge,
    version: charge.version + 1,
    status: "processing",
    pendingReason: null,
    reversalPending: false,
  };
}

function decline(
  charge: ChallengedCharge,
  { code, threeDSecure }: Verdict<"decline">,
  now: Date,
): Charge {
  const failure = { code, declineCode: code, networkDeclineCode: null };
  return { ...failWith(charge, failure, now), threeDSecure };
}
