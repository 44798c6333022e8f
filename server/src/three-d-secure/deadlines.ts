import { createdAt } from "../primitives/ids.ts";
import type { Authentication } from "./authentication.ts";

/** How long each step may take before a job ends it. Every authentication so comes to an end, whatever broke. */
export type AuthenticationTiming = {
  /** The customer has left the page before the bank was even asked. */
  readonly startMs: number;
  /** The ARes: ten seconds for it (EMV 3DS), and a little, for the request itself waits no longer. */
  readonly answerMs: number;
  /** The CReq: the bank waits 30 s for it, and tells us; only if it does not is this deadline ours. */
  readonly requestMs: number;
  /** A step of the challenge: the bank ends it after 10 minutes, and tells us; then as above. */
  readonly challengeMs: number;
  /** A CRes came and no RReq before it, as EMV demands: it is late, or never comes. */
  readonly resultMs: number;
  /** All of it, from the payment's beginning: each reload of the bank's page begins its step anew, but not for ever. */
  readonly wholeMs: number;
  /** The end is recorded, and whoever recorded it goes on with the charge at once, unless they died. */
  readonly handOverMs: number;
};

const second = 1_000;
const minute = 60 * second;

export const usualAuthenticationTiming: AuthenticationTiming = {
  startMs: 10 * minute,
  answerMs: 15 * second,
  requestMs: 60 * second,
  challengeMs: 10 * minute + 30 * second,
  resultMs: 30 * second,
  wholeMs: 45 * minute,
  handOverMs: 45 * second,
};

/** When somebody has to look at it again; null when it is over. */
export function deadlineOf(
  current: Authentication,
  now: Date,
  timing: AuthenticationTiming,
): Date | null {
  const ofStep = deadlineOfStep(current, now, timing);
  if (ofStep === null || current.state === "ended") return ofStep;
  const ofAll = new Date(createdAt(current.chargeId).getTime() + timing.wholeMs);
  return ofAll < ofStep ? ofAll : ofStep;
}

function deadlineOfStep(
  current: Authentication,
  now: Date,
  timing: AuthenticationTiming,
): Date | null {
  const after = (milliseconds: number) => new Date(now.getTime() + milliseconds);
  switch (current.state) {
    case "looked_up":
      return after(timing.startMs);
    case "requested":
      return after(timing.answerMs);
    case "challenged":
      return after(timing.requestMs);
    case "challenging":
      return after(current.responseSeen ? timing.resultMs : timing.challengeMs);
    case "ended":
      return current.handedOver ? null : after(timing.handOverMs);
  }
}
