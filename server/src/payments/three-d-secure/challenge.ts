import type { Redirect } from "../../acquiring/outcome.ts";
import { decodeBase64url, encodeBase64url } from "../../acquiring/three-d-secure/base64url.ts";
import {
  type ChallengeWindowSize,
  type CReq,
  type CRes,
  type RReq,
  type RRes,
  sessionDataLimit,
} from "../../acquiring/three-d-secure/message.ts";
import {
  erroFor,
  readMessage,
  unknownTransaction,
  writeMessage,
} from "../../acquiring/three-d-secure/read-message.ts";
import { type AttemptId, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { advance, find } from "./advance-authentication.ts";
import type { Authentication } from "./authentication.ts";
import type { ThreeDSecureDeps } from "./three-d-secure-deps.ts";

/**
 * Returns the form with the CReq, which the browser posts to the ACS. After a reload, it returns the CReq of the same
 * transaction again. Returns null if no challenge is in progress.
 */
export async function startChallenge(
  deps: ThreeDSecureDeps,
  from: Authentication,
  challengeWindowSize: ChallengeWindowSize,
): Promise<Redirect | null> {
  const { authentication } = await advance(deps, from, { kind: "challenge_given" });
  if (authentication.state !== "challenging") return null;
  const { acsUrl, acsTransactionId } = authentication.challenge;
  const creq: CReq = {
    messageType: "CReq",
    messageVersion: authentication.version,
    threeDSServerTransID: uuidOf(authentication.attemptId),
    acsTransID: acsTransactionId,
    challengeWindowSize,
  };
  const fields = {
    creq: encodeBase64url(writeMessage(creq)),
    threeDSSessionData: sessionDataOf(authentication.attemptId),
  };
  return { url: acsUrl, method: "POST", fields };
}

/**
 * Returns the session data, which the ACS sends back with the CRes. The session data is the attempt's ID, which the
 * callback URL also contains, so an ACS may omit the session data.
 */
function sessionDataOf(attemptId: AttemptId): string {
  return encodeBase64url(attemptId);
}

/**
 * Records the CRes. The cardholder's browser sends it and could forge it, so it only signals that the challenge page
 * has ended. If no RReq has arrived by then, a shorter deadline starts for it.
 */
export async function applyAuthenticateResponse(
  deps: ThreeDSecureDeps,
  transaction: { scope: Scope; attemptId: AttemptId },
  fields: { readonly cres: string | null; readonly threeDSSessionData: string | null },
): Promise<Authentication | null> {
  const current = await find(deps, transaction.scope, transaction.attemptId);
  const cres = readResponse(fields);
  if (current?.state !== "challenging" || !cres) return current;
  const belongsToAttempt =
    sameId(cres.threeDSServerTransID, uuidOf(current.attemptId)) &&
    sameId(cres.acsTransID, current.challenge.acsTransactionId);
  const { threeDSSessionData: data } = fields;
  if (
    !belongsToAttempt ||
    (data !== null && data.replace(/=+$/, "") !== sessionDataOf(current.attemptId))
  ) {
    return current;
  }
  return (await advance(deps, current, { kind: "response_seen" })).authentication;
}

/** The maximum length of a CRes. Every valid CRes is shorter. */
const maxResponseLength = 16 * 1024;

function readResponse(fields: {
  readonly cres: string | null;
  readonly threeDSSessionData: string | null;
}): CRes | null {
  const { cres, threeDSSessionData } = fields;
  if (cres === null || cres.length > maxResponseLength) return null;
  if (threeDSSessionData !== null && threeDSSessionData.length > sessionDataLimit) return null;
  const json = decodeBase64url(cres);
  const read = json === null ? null : readMessage("CRes", json);
  return read?.kind === "message" ? read.message : null;
}

/**
 * The response to the directory server, and the authentication after its message. The authentication is null if the
 * message was rejected.
 */
export type AppliedResult = {
  readonly response: string;
  readonly authentication: Authentication | null;
};

/**
 * Applies the RReq, which alone determines the outcome of a challenge. It must arrive at the secret results URL and
 * contain all three transaction IDs. The browser receives neither that URL nor the directory server's transaction ID. A
 * repeated or late RReq is acknowledged and changes nothing.
 */
export async function applyAuthenticationResult(
  deps: ThreeDSecureDeps,
  transaction: { scope: Scope; attemptId: AttemptId },
  body: string,
): Promise<AppliedResult> {
  const read = readMessage("RReq", body);
  if (read.kind === "erro") return { response: "", authentication: null };
  if (read.kind === "violation") return rejected(read.violation);
  const rreq = read.message;
  const current = await find(deps, transaction.scope, transaction.attemptId);
  if (!current || !isForTransaction(rreq, current)) return rejected(unknownTransaction, rreq);
  const { authentication } = await advance(deps, current, { kind: "result", rreq });
  const { threeDSServerTransID, acsTransID, dsTransID } = rreq;
  const rres: RRes = {
    messageType: "RRes",
    messageVersion: rreq.messageVersion,
    threeDSServerTransID,
    acsTransID,
    dsTransID,
    resultsStatus: "01",
  };
  return { response: writeMessage(rres), authentication };
}

function isForTransaction(rreq: RReq, current: Authentication): boolean {
  if (!sameId(rreq.threeDSServerTransID, uuidOf(current.attemptId))) return false;
  switch (current.state) {
    case "challenged":
    case "challenging":
      return (
        sameId(rreq.acsTransID, current.challenge.acsTransactionId) &&
        sameId(rreq.dsTransID, current.challenge.dsTransactionId)
      );
    case "ended":
      return sameId(rreq.dsTransID, current.outcome.dsTransactionId);
    default:
      return false;
  }
}

/** Compares UUIDs case-insensitively, because some ACSs write them in upper case. */
function sameId(one: string, other: string | null): boolean {
  return one.toLowerCase() === other?.toLowerCase();
}

function rejected(violation: Parameters<typeof erroFor>[0], about?: RReq): AppliedResult {
  const erro = erroFor(violation, {
    component: "S",
    about: "RReq",
    ...(about && {
      ids: {
        threeDSServerTransID: about.threeDSServerTransID,
        dsTransID: about.dsTransID,
        acsTransID: about.acsTransID,
      },
    }),
  });
  return { response: writeMessage(erro), authentication: null };
}
