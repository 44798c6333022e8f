import type { AReq } from "../../three-d-secure/message.ts";
import type { Violation } from "../../three-d-secure/read-message.ts";
import { type SimulatedWorld, simulatorPaths } from "./world.ts";

type Own = Pick<SimulatedWorld, "serverUrl" | "publicUrl">;

/*
 * Anybody can post to the simulated directory server and bank, and whoever may name any address can make this machine
 * call it, or send a browser there. So a message that names others' addresses is refused; null when all are our own.
 */

/** What the directory server refuses of an AReq. */
export function refusedByDirectory({ serverUrl, publicUrl }: Own, areq: AReq): Violation | null {
  const isOurs =
    areq.threeDSServerURL.startsWith(`${serverUrl()}/`) &&
    areq.notificationURL.startsWith(`${publicUrl()}/`);
  return isOurs ? null : invalidEndpoint("threeDSServerURL,notificationURL");
}

/** An AReq as the directory server passes it on, with its own elements. */
export type PassedOnAReq = AReq & Required<Pick<AReq, "dsTransID" | "dsReferenceNumber" | "dsURL">>;

export function isPassedOn(areq: AReq): areq is PassedOnAReq {
  return Boolean(areq.dsTransID && areq.dsReferenceNumber && areq.dsURL);
}

/** What the bank refuses of one that came over the directory server, or says so. */
export function refusedByBank({ serverUrl, publicUrl }: Own, areq: PassedOnAReq): Violation | null {
  const isOurs =
    areq.dsURL === `${serverUrl()}${simulatorPaths.directory}` &&
    areq.notificationURL.startsWith(`${publicUrl()}/`);
  return isOurs ? null : invalidEndpoint("dsURL,notificationURL");
}

export const notPassedOn: Violation = {
  errorCode: "201",
  errorDescription: "Required Element Missing",
  errorDetail: "dsTransID,dsReferenceNumber,dsURL",
};

function invalidEndpoint(errorDetail: string): Violation {
  return { errorCode: "303", errorDescription: "Access Denied, Invalid Endpoint", errorDetail };
}
