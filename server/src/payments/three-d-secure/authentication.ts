import type { CardBrand } from "@florin/contract/payment-method.ts";
import { type ARes, protocolVersion, type RReq } from "../../acquiring/three-d-secure/message.ts";
import type { AttemptId } from "../../core/ids.ts";
import { oneLine } from "../../core/one-line.ts";
import type { Scope } from "../../core/scope.ts";
import {
  type Outcome,
  outcomeOfResponse,
  outcomeOfResult,
  outcomeWithoutResult,
} from "./outcome.ts";

/**
 * The 3-D Secure transaction of one charge or card verification. Its UUID is the `threeDSServerTransID`, so that it
 * cannot be authenticated twice. Every step is a compare-and-set on one row, so a reload, a second tab or another
 * server process continues from the current state.
 */
export type Authentication =
  /** The issuer supports 3-D Secure. The hidden method page may be open. */
  | (AuthenticationBase & {
      readonly state: "looked_up";
      readonly methodUrl: string | null;
      readonly methodCompleted: boolean;
    })
  /** The AReq was sent. */
  | (AuthenticationBase & { readonly state: "requested" })
  /** The issuer requires a challenge. The browser has not received the CReq yet. */
  | (AuthenticationBase & { readonly state: "challenged"; readonly challenge: Challenge })
  /** The browser has received the CReq. Only the RReq, a cancellation or a deadline ends the authentication. */
  | (AuthenticationBase & {
      readonly state: "challenging";
      readonly challenge: Challenge;
      /**
       * True once a CRes has arrived, which signals that the challenge page has ended. The CRes does not determine the
       * outcome.
       */
      readonly responseSeen: boolean;
    })
  | EndedAuthentication;

export type EndedAuthentication = AuthenticationBase & {
  readonly state: "ended";
  readonly outcome: Outcome;
  /** True once the attempt has continued with the outcome. The cryptogram for the acquirer is then deleted. */
  readonly handedOver: boolean;
};

export type AuthenticationState = Authentication["state"];

type AuthenticationBase = {
  readonly scope: Scope;
  readonly attemptId: AttemptId;
  /** Incremented by every step. The compare-and-set checks it. */
  readonly revision: number;
  /** The protocol version, such as `2.2.0`. */
  readonly version: string;
  readonly brand: CardBrand;
  /** The issuer's text for the cardholder, which must be shown. */
  readonly cardholderInfo: string | null;
};

export type Challenge = {
  readonly acsUrl: string;
  readonly acsTransactionId: string;
  /** The directory server's transaction ID, which the browser never receives. */
  readonly dsTransactionId: string;
};

export type AuthenticationEvent =
  | { readonly kind: "method_completed" }
  | { readonly kind: "requested" }
  | { readonly kind: "responded"; readonly ares: ARes }
  /** No valid ARes was received. */
  | { readonly kind: "ares_missing" }
  | { readonly kind: "challenge_given" }
  | { readonly kind: "response_seen" }
  | { readonly kind: "result"; readonly rreq: RReq }
  | { readonly kind: "canceled" }
  | { readonly kind: "deadline_passed" }
  | { readonly kind: "handed_over" };

/**
 * The transitions of each state. An event that is not listed has no effect. The table's CHECK constraints allow the
 * same states.
 */
export const transitions: Readonly<
  Record<
    AuthenticationState,
    Partial<Readonly<Record<AuthenticationEvent["kind"], readonly AuthenticationState[]>>>
  >
> = {
  looked_up: {
    method_completed: ["looked_up"],
    requested: ["requested"],
    canceled: ["ended"],
    deadline_passed: ["ended"],
  },
  requested: {
    responded: ["challenged", "ended"],
    ares_missing: ["ended"],
    canceled: ["ended"],
    deadline_passed: ["ended"],
  },
  challenged: {
    challenge_given: ["challenging"],
    result: ["ended"],
    canceled: ["ended"],
    deadline_passed: ["ended"],
  },
  challenging: {
    challenge_given: ["challenging"],
    response_seen: ["challenging"],
    result: ["ended"],
    canceled: ["ended"],
    deadline_passed: ["ended"],
  },
  ended: { handed_over: ["ended"] },
};

/**
 * Returns the authentication after an event, or null if the event has no effect, for example because it is late. Pure.
 */
export function step(current: Authentication, event: AuthenticationEvent): Authentication | null {
  if (!transitions[current.state][event.kind]) return null;
  const next = { ...baseOf(current), revision: current.revision + 1 };
  switch (event.kind) {
    case "method_completed":
      if (current.state !== "looked_up" || current.methodCompleted) return null;
      return { ...current, ...next, methodCompleted: true };
    case "requested":
      return { ...next, state: "requested" };
    case "responded":
      return applyARes(next, event.ares);
    case "ares_missing":
      return end(next, outcomeWithoutResult("unavailable", null));
    case "challenge_given": {
      const challenge = challengeOf(current);
      // Continues the same transaction with a new deadline after a reload of the page.
      return challenge && { ...next, state: "challenging", challenge, responseSeen: false };
    }
    case "response_seen":
      if (current.state !== "challenging" || current.responseSeen) return null;
      return { ...current, ...next, responseSeen: true };
    case "result":
      return end(next, outcomeOfResult(event.rreq));
    case "canceled":
      return end(next, outcomeWithoutResult("canceled", challengeOf(current)));
    case "deadline_passed":
      // In the state `requested`, the AReq was sent but no ARes was recorded. EMV 3DS has no message that requests the
      // result again.
      return current.state === "requested"
        ? end(next, outcomeWithoutResult("unavailable", null))
        : end(next, outcomeWithoutResult("timed_out", challengeOf(current)));
    case "handed_over":
      if (current.state !== "ended" || current.handedOver) return null;
      return {
        ...current,
        ...next,
        handedOver: true,
        outcome: { ...current.outcome, authenticationValue: null },
      };
  }
}

/**
 * Returns the first state after the lookup. If the issuer does not support 3-D Secure, the authentication ends
 * immediately.
 */
export function startAuthentication(
  base: Pick<AuthenticationBase, "scope" | "attemptId" | "brand">,
  found: { readonly version: string; readonly methodUrl: string | null } | null,
): Authentication {
  const start = { ...base, revision: 1, cardholderInfo: null };
  if (!found) {
    return end({ ...start, version: protocolVersion }, outcomeWithoutResult("unavailable", null));
  }
  const { version, methodUrl } = found;
  return { ...start, version, state: "looked_up", methodUrl, methodCompleted: false };
}

/** Returns the AReq's `threeDSCompInd`, which states whether the method page completed. */
export function methodCompletion(
  current: Authentication & { state: "looked_up" },
): "Y" | "N" | "U" {
  if (current.methodUrl === null) return "U";
  return current.methodCompleted ? "Y" : "N";
}

function applyARes(base: AuthenticationBase, ares: ARes): Authentication {
  const { acsURL, acsTransID, dsTransID } = ares;
  // Customers see the message, so characters that would change the text around it are removed.
  const cardholderInfo = (ares.cardholderInfo && oneLine(ares.cardholderInfo)) || null;
  const updated = { ...base, cardholderInfo };
  const outcome = outcomeOfResponse(ares);
  if (outcome) return end(updated, outcome);
  if (!acsURL) return end(updated, outcomeWithoutResult("unavailable", null));
  const challenge = { acsUrl: acsURL, acsTransactionId: acsTransID, dsTransactionId: dsTransID };
  return { ...updated, state: "challenged", challenge };
}

function end(base: AuthenticationBase, outcome: Outcome): EndedAuthentication {
  return { ...base, state: "ended", outcome, handedOver: false };
}

function challengeOf(current: Authentication): Challenge | null {
  return "challenge" in current ? current.challenge : null;
}

function baseOf(current: Authentication): AuthenticationBase {
  const { scope, attemptId, revision, version, brand, cardholderInfo } = current;
  return { scope, attemptId, revision, version, brand, cardholderInfo };
}
