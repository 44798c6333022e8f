import { type ChargeId, uuidOf } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";
import { decodeBase64url, encodeBase64url } from "../processors/three-d-secure/base64url.ts";
import {
  type ChallengeWindowSize,
  type CReq,
  type CRes,
  type RReq,
  type RRes,
  sessionDataLimit,
} from "../processors/three-d-secure/message.ts";
import {
  erroFor,
  readMessage,
  unknownTransaction,
  writeMessage,
} from "../processors/three-d-secure/read-message.ts";
import { advance, find } from "./advance.ts";
import type { Authentication } from "./authentication.ts";
import type { ThreeDSecureDeps } from "./three-d-secure-deps.ts";

/** What the browser posts to the bank, field by field. */
export type ChallengeForm = {
  readonly action: string;
  readonly fields: { readonly creq: string; readonly threeDSSessionData: string };
};

/** Step 4: the CReq, for the browser to post. After a reload it is the same one, of the same transaction. */
export async function giveChallenge(
  deps: ThreeDSecureDeps,
  from: Authentication,
  challengeWindowSize: ChallengeWindowSize,
): Promise<{ authentication: Authentication; form: ChallengeForm | null }> {
  const { authentication } = await advance(deps, from, { kind: "challenge_given" });
  if (authentication.state !== "challenging") return { authentication, form: null };
  const { acsUrl, acsTransactionId } = authentication.challenge;
  const creq: CReq = {
    messageType: "CReq",
    messageVersion: authentication.version,
    threeDSServerTransID: uuidOf(authentication.chargeId),
    acsTransID: acsTransactionId,
    challengeWindowSize,
  };
  const fields = {
    creq: encodeBase64url(writeMessage(creq)),
    threeDSSessionData: sessionDataOf(authentication.chargeId),
  };
  return { authentication, form: { action: acsUrl, fields } };
}

/** Comes back with the CRes unchanged. It names what the address names already; a bank that drops it does no harm. */
function sessionDataOf(chargeId: ChargeId): string {
  return encodeBase64url(chargeId);
}

/**
 * Step 7: the CRes, which the cardholder's own browser brings, and so may have made up. Whatever it says, it only
 * tells that the bank's page is done; without an RReq by then, the bank has a little time left to send it.
 */
export async function hearResponse(
  deps: ThreeDSecureDeps,
  transaction: { owner: Owner; chargeId: ChargeId },
  fields: { readonly cres: string | null; readonly threeDSSessionData: string | null },
): Promise<Authentication | null> {
  const current = await find(deps, transaction.owner, transaction.chargeId);
  const cres = readResponse(fields);
  if (current?.state !== "challenging" || !cres) return current;
  const isOurs =
    sameId(cres.threeDSServerTransID, uuidOf(current.chargeId)) &&
    sameId(cres.acsTransID, current.challenge.acsTransactionId);
  const { threeDSSessionData: data } = fields;
  if (!isOurs || (data !== null && data.replace(/=+$/, "") !== sessionDataOf(current.chargeId))) {
    return current;
  }
  return (await advance(deps, current, { kind: "response_seen" })).authentication;
}

/** Larger than any CRes: what is longer is not read. */
const longestResponse = 16 * 1024;

function readResponse(fields: {
  readonly cres: string | null;
  readonly threeDSSessionData: string | null;
}): CRes | null {
  const { cres, threeDSSessionData } = fields;
  if (cres === null || cres.length > longestResponse) return null;
  if (threeDSSessionData !== null && threeDSSessionData.length > sessionDataLimit) return null;
  const json = decodeBase64url(cres);
  const read = json === null ? null : readMessage("CRes", json);
  return read?.kind === "message" ? read.message : null;
}

/** What the directory server is answered, and what has become of the authentication by its message. */
export type ResultHeard = {
  readonly answer: string;
  readonly authentication: Authentication | null;
};

/**
 * Step 6: the RReq, the only verdict on a challenge. It came to an address that only the directory server knows, and
 * must carry all three ids, of which the browser never saw the directory server's. One that comes twice, or after
 * the end, is received politely and changes nothing.
 */
export async function hearResult(
  deps: ThreeDSecureDeps,
  transaction: { owner: Owner; chargeId: ChargeId },
  body: string,
): Promise<ResultHeard> {
  const read = readMessage("RReq", body);
  if (read.kind === "erro") return { answer: "", authentication: null };
  if (read.kind === "violation") return refused(read.violation);
  const rreq = read.message;
  const current = await find(deps, transaction.owner, transaction.chargeId);
  if (!current || !belongs(rreq, current)) return refused(unknownTransaction, rreq);
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
  return { answer: writeMessage(rres), authentication };
}

function belongs(rreq: RReq, current: Authentication): boolean {
  if (!sameId(rreq.threeDSServerTransID, uuidOf(current.chargeId))) return false;
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

/** Uuids are the same in capitals, and some banks write them so. */
function sameId(one: string, other: string | null): boolean {
  return one.toLowerCase() === other?.toLowerCase();
}

function refused(violation: Parameters<typeof erroFor>[0], about?: RReq): ResultHeard {
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
  return { answer: writeMessage(erro), authentication: null };
}
