import type { AReq } from "@florin/server/acquiring/three-d-secure/message.ts";
import type { Violation } from "@florin/server/acquiring/three-d-secure/read-message.ts";
import { simulatorPaths, type ThreeDSecureSimulatorDeps } from "./simulator-deps.ts";

type UrlDeps = Pick<ThreeDSecureSimulatorDeps, "serverUrl" | "isCallbackUrl">;

/*
 * This process sends requests to some of the URLs in a message, and browsers open others. All of them must therefore be
 * the URLs that the service created for the transaction, including their secrets. A check of only the origin would also
 * accept the directory server's URL, and the directory server would forward a result to itself in an endless loop.
 */

/** Returns the violation in an AReq that the directory server received, or null. */
export function directoryViolation({ isCallbackUrl }: UrlDeps, areq: AReq): Violation | null {
  const urlsMatch =
    isCallbackUrl("results", areq.threeDSServerURL, areq.threeDSServerTransID) &&
    isCallbackUrl("notification", areq.notificationURL, areq.threeDSServerTransID);
  return urlsMatch ? null : invalidEndpoint("threeDSServerURL,notificationURL");
}

/** An AReq that the directory server forwarded, with the elements that it adds. */
export type ForwardedAReq = AReq &
  Required<Pick<AReq, "dsTransID" | "dsReferenceNumber" | "dsURL">>;

export function isForwarded(areq: AReq): areq is ForwardedAReq {
  return Boolean(areq.dsTransID && areq.dsReferenceNumber && areq.dsURL);
}

/** Returns the violation in an AReq that the ACS received from the directory server, or null. */
export function acsViolation(
  { serverUrl, isCallbackUrl }: UrlDeps,
  areq: ForwardedAReq,
): Violation | null {
  const urlsMatch =
    areq.dsURL === `${serverUrl()}${simulatorPaths.directory}` &&
    isCallbackUrl("notification", areq.notificationURL, areq.threeDSServerTransID);
  return urlsMatch ? null : invalidEndpoint("dsURL,notificationURL");
}

export const notForwarded: Violation = {
  errorCode: "201",
  errorDescription: "Required Element Missing",
  errorDetail: "dsTransID,dsReferenceNumber,dsURL",
};

function invalidEndpoint(errorDetail: string): Violation {
  return { errorCode: "303", errorDescription: "Access Denied, Invalid Endpoint", errorDetail };
}
