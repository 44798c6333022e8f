import { createdAt } from "../../core/ids.ts";
import type { Authentication } from "./authentication.ts";

/** The time limit of each step, after which a job ends it. Every authentication ends after any failure. */
export type AuthenticationTiming = {
  /** The customer left the page before the AReq was sent. */
  readonly startMs: number;
  /** The ARes has ten seconds (EMV 3DS). The margin is small because the request itself waits no longer. */
  readonly answerMs: number;
  /** The ACS waits 30 s for the CReq and reports the timeout. This deadline applies only if it does not. */
  readonly requestMs: number;
  /** The ACS ends a challenge step after 10 minutes and reports it. This deadline applies only if it does not. */
  readonly challengeMs: number;
  /** A CRes arrived without an RReq before it, against EMV 3DS. The RReq is late or never arrives. */
  readonly resultMs: number;
  /** The whole authentication, from the payment's start. Each reload restarts its step, so this limits the total. */
  readonly wholeMs: number;
  /** The end is recorded. The process that recorded it continues the charge immediately, unless it crashed. */
  readonly handOverMs: number;
};

const second = 1_000;
const minute = 60 * second;

export const defaultAuthenticationTiming: AuthenticationTiming = {
  startMs: 10 * minute,
  answerMs: 15 * second,
  requestMs: 60 * second,
  challengeMs: 10 * minute + 30 * second,
  resultMs: 30 * second,
  wholeMs: 45 * minute,
  handOverMs: 45 * second,
};

/** Returns when the authentication must be examined again, or null when it is complete. */
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
