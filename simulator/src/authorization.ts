import type { CheckResult } from "@florin/contract/charge.ts";
import { type DeclineCode, declineCodes, isDeclineCode } from "@florin/contract/declines.ts";
import { findTestCard, type TestCard } from "@florin/contract/test-cards.ts";
import {
  type AuthorizationOutcome,
  type CardChecks,
  noDetails,
} from "@florin/server/acquiring/outcome.ts";
import type { AuthorizeRequest, VerifyCardRequest } from "@florin/server/acquiring/processor.ts";
import { isAuthenticatedEci } from "@florin/server/acquiring/three-d-secure/eci.ts";
import { type AccountId, type AttemptId, uuidOf } from "@florin/server/core/ids.ts";
import { isExpired } from "@florin/server/vault/parse-card.ts";
import { type AmountTrigger, findAmountTrigger } from "./amount-triggers.ts";
import { issuerRequiresAuthentication } from "./issuer-policy.ts";
import { behaviorOf, type OperationBehavior } from "./operation.ts";
import { type CasePlan, casePlanOf } from "./planned-dispute.ts";
import { cryptogramOf } from "./three-d-secure/cryptogram.ts";
import { isCryptogramOf } from "./wallet/token-cryptogram.ts";

/** An authorization in the simulator's ledger. */
export type Authorization = {
  readonly merchant: string;
  readonly reference: string;
  readonly amountMinor: number;
  readonly approvedMinor: number;
  readonly currency: string;
  readonly captured: boolean;
  readonly state: "approved" | "declined" | "pending" | "reversed";
  readonly pendingOutcome: "approved" | "declined" | null;
  readonly resolvesAt: Date | null;
  readonly declineCode: string | null;
  /** The check results of security code, address line and postal code, one letter each. A hyphen means no result. */
  readonly checks: string;
  /** The electronic commerce indicator. Null if the authorization used no network token. */
  readonly eci: string | null;
};

/** The primary key of an authorization: the merchant and the reference in the request. */
export type Key = Pick<Authorization, "merchant" | "reference">;

export function keyOf(request: {
  readonly account: AccountId;
  readonly reference: AttemptId;
}): Key {
  return { merchant: uuidOf(request.account), reference: uuidOf(request.reference) };
}

/** The issuer's decision, and the amount trigger that may change the way it is returned. */
export type Decision = {
  readonly authorization: Authorization;
  readonly trigger: AmountTrigger | null;
  /** The effect on later operations on the authorization. */
  readonly behavior: OperationBehavior | null;
  /** The dispute that the cardholder will open. */
  readonly casePlan: CasePlan | null;
};

/** A request for an authorization, or for the verification of a card. The amount of a verification is zero. */
type DecidableRequest = Omit<AuthorizeRequest, "reference"> & { readonly reference: AttemptId };

/** Decides an authorization. `forced` is the trigger of an injected fault. It replaces the trigger of the amount. */
export function decide(
  request: DecidableRequest,
  now: Date,
  resolveAfterMs: number,
  forced: AmountTrigger | null = null,
): Decision {
  const { amountMinor } = request.price;
  const card = findTestCard(request.card.number.reveal());
  const trigger = forced ?? (card ? findAmountTrigger(card, amountMinor) : null);
  const declineCode = card ? reasonToDecline(request, card, trigger, now) : "testmode_decline";
  const behavior = card && behaviorOf(card, trigger?.kind === "capture_fails");
  const casePlan = card && casePlanOf(card);
  const common = {
    ...keyOf(request),
    amountMinor,
    currency: request.price.currency,
    checks: card ? checksOf(request, card) : "---",
    eci: request.card.networkToken?.eci ?? null,
  };

  if (declineCode !== null) {
    return {
      trigger,
      behavior: null,
      casePlan: null,
      authorization: { ...common, ...nothingApproved, state: "declined", declineCode },
    };
  }
  if (trigger?.kind === "pending") {
    const approves = trigger.becomes === "approved";
    const authorization: Authorization = {
      ...common,
      approvedMinor: approves ? amountMinor : 0,
      captured: approves && request.capture,
      state: "pending",
      pendingOutcome: trigger.becomes,
      resolvesAt: new Date(now.getTime() + resolveAfterMs),
      declineCode: approves ? null : "generic_decline",
    };
    return { trigger, behavior, casePlan, authorization };
  }
  const authorization: Authorization = {
    ...common,
    approvedMinor: trigger?.kind === "approves_half" ? Math.floor(amountMinor / 2) : amountMinor,
    captured: request.capture,
    state: "approved",
    pendingOutcome: null,
    resolvesAt: null,
    declineCode: null,
  };
  return { trigger, behavior, casePlan, authorization };
}

const nothingApproved = {
  approvedMinor: 0,
  captured: false,
  pendingOutcome: null,
  resolvesAt: null,
} as const;

function reasonToDecline(
  request: DecidableRequest,
  card: TestCard,
  trigger: AmountTrigger | null,
  now: Date,
): DeclineCode | null {
  if (trigger?.kind === "declines") return trigger.declineCode;
  if (isExpired(request.card, now)) return "expired_card";
  const { networkToken } = request.card;
  if (networkToken && !isCryptogramOf(card.number, networkToken.cryptogram?.reveal() ?? "")) {
    return "authentication_failed";
  }
  // Without authentication, a card that requires 3-D Secure returns `authentication_required` instead of its own
  // decline code, except for `processing_error`. For a network token, the device has already authenticated the
  // cardholder.
  if (
    !networkToken &&
    !isAuthenticated(request.authentication) &&
    card.threeDSecure &&
    issuerRequiresAuthentication(card.threeDSecure, request.use)
  ) {
    return card.declineCode === "processing_error" ? card.declineCode : "authentication_required";
  }
  // The issuer approves only the payment that saves the card.
  if (card.afterwards === "declines_once_saved" && request.use?.kind === "to_be_saved") return null;
  return card.declineCode;
}

/** Returns whether the authentication has the issuer's cryptogram. No other evidence of authentication is accepted. */
function isAuthenticated(authentication: AuthorizeRequest["authentication"]): boolean {
  return (
    authentication !== null &&
    authentication.authenticationValue === cryptogramOf(authentication.dsTransactionId)
  );
}

/** Returns the check result of each value in the request, in the stored form. */
function checksOf({ card: given }: DecidableRequest, card: TestCard): string {
  return (
    (given.securityCode === null ? "-" : codeOf(card.cvcCheck)) +
    (given.addressLine1 === null ? "-" : codeOf(card.addressLine1Check)) +
    (given.postalCode === null ? "-" : codeOf(card.postalCodeCheck))
  );
}

function codeOf(result: CheckResult): string {
  return result === "unchecked" ? "-" : (result[0] as string);
}

const resultOfCode: Readonly<Record<string, CheckResult>> = {
  p: "pass",
  f: "fail",
  u: "unavailable",
};

function readChecks(codes: string): CardChecks {
  return {
    cvcCheck: resultOfCode[codes[0] as string] ?? null,
    addressLine1Check: resultOfCode[codes[1] as string] ?? null,
    addressPostalCodeCheck: resultOfCode[codes[2] as string] ?? null,
  };
}

/** Returns the authorization as an acquirer response. The response depends only on the stored authorization. */
export function responseOf(line: Authorization): AuthorizationOutcome {
  switch (line.state) {
    case "approved":
      return {
        kind: "approved",
        approvedMinor: line.approvedMinor,
        details: {
          ...noDetails,
          checks: readChecks(line.checks),
          eci: line.eci,
          liabilityShifted: line.eci === null ? null : isAuthenticatedEci(line.eci),
          networkTransactionId: networkTransactionIdOf(line.reference),
        },
      };
    case "declined":
      return declined(line.declineCode, line.checks);
    case "pending":
      return pendingResponse;
    case "reversed":
      // A reversal is final. A later authorization with this reference is declined.
      return declined(null, line.checks);
  }
}

/**
 * Returns the issuer's response to the verification of a card. It depends only on the request and is not stored,
 * because a verification moves no money. A repeated request gets the same response.
 */
export function verificationResponse(
  { currency, ...request }: VerifyCardRequest,
  now: Date,
): AuthorizationOutcome {
  const price = { amountMinor: 0, currency };
  const { authorization } = decide({ ...request, price, capture: false }, now, 0);
  return responseOf(authorization);
}

export const pendingResponse: AuthorizationOutcome = { kind: "pending", acquirerReference: null };

/** Returns the network transaction ID, which depends only on the reference. */
function networkTransactionIdOf(reference: string): string {
  return `SIM-${reference.slice(-12)}`;
}

function declined(code: string | null, checks: string): AuthorizationOutcome {
  const declineCode = code !== null && isDeclineCode(code) ? code : "generic_decline";
  const networkCodes: readonly string[] = declineCodes[declineCode].networkCodes;
  return {
    kind: "declined",
    code: declineCode,
    networkDeclineCode: networkCodes[0] ?? null,
    retry: declineCodes[declineCode].retry,
    notBefore: null,
    details: { ...noDetails, checks: readChecks(checks) },
  };
}

export function isDue(line: Authorization, now: Date): boolean {
  return line.resolvesAt !== null && line.resolvesAt.getTime() <= now.getTime();
}
