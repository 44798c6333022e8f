import type { AReq } from "@florin/server/acquiring/three-d-secure/message.ts";
import type { Violation } from "@florin/server/acquiring/three-d-secure/read-message.ts";
import { simulatorPaths, type ThreeDSecureSimulatorDeps } from "./simulator-deps.ts";

type Own = Pick<ThreeDSecureSimulatorDeps, "serverUrl" | "isCallbackUrl">;

/*
 * Each URL in a message is later called by this process or opened in a browser. Only the exact URLs that the service
 * created for the transaction are accepted, whose secrets cannot be guessed. A comparison of the origin alone would
 * accept the directory server's own URL, and a result sent there would be forwarded in an endless loop.
 */

/** Returns what is wrong with an AReq that reached the directory server, or null. */
export function directoryViolation({ isCallbackUrl }: Own, areq: AReq): Violation | null {
  const urlsMatch =
    isCallbackUrl("results", areq.threeDSServerURL, areq.threeDSServerTransID) &&
    isCallbackUrl("notification", areq.notificationURL, areq.threeDSServerTransID);
  return urlsMatch ? null : invalidEndpoint("threeDSServerURL,notificationURL");
}

/** An AReq as the directory server forwards it, with its own elements. */
export type PassedOnAReq = AReq & Required<Pick<AReq, "dsTransID" | "dsReferenceNumber" | "dsURL">>;

export function isPassedOn(areq: AReq): areq is PassedOnAReq {
  return Boolean(areq.dsTransID && areq.dsReferenceNumber && areq.dsURL);
}

/** Returns what is wrong with an AReq that the directory server forwarded to the ACS, or null. */
export function acsViolation(
  { serverUrl, isCallbackUrl }: Own,
  areq: PassedOnAReq,
): Violation | null {
  const urlsMatch =
    areq.dsURL === `${serverUrl()}${simulatorPaths.directory}` &&
    isCallbackUrl("notification", areq.notificationURL, areq.threeDSServerTransID);
  return urlsMatch ? null : invalidEndpoint("dsURL,notificationURL");
}

export const notPassedOn: Violation = {
  errorCode: "201",
  errorDescription: "Required Element Missing",
  errorDetail: "dsTransID,dsReferenceNumber,dsURL",
};

function invalidEndpoint(errorDetail: string): Violation {
  return { errorCode: "303", errorDescription: "Access Denied, Invalid Endpoint", errorDetail };
}
