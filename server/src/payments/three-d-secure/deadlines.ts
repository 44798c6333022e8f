import { createdAt } from "../../core/ids.ts";
import type { Authentication } from "./authentication.ts";

/**
 * The time limit of each step. A job ends an authentication that exceeds a limit, so that every authentication ends,
 * even after a failure.
 */
export type AuthenticationTiming = {
  /** The time from the lookup to the AReq. The limit is exceeded if the customer leaves the page. */
  readonly startMs: number;
  /**
   * The time from the AReq to the ARes. The request times out after ten seconds (EMV 3DS), so a small margin is enough.
   */
  readonly aresMs: number;
  /**
   * The time from the ARes to the CReq. The ACS waits 30 s and then reports a timeout. The limit applies if the ACS
   * sends no report.
   */
  readonly requestMs: number;
  /**
   * The time from the CReq to the RReq. The ACS ends a challenge after 10 minutes and reports it. The limit applies if
   * the ACS sends no report.
   */
  readonly challengeMs: number;
  /**
   * The time from the CRes to the RReq. EMV 3DS requires the RReq before the CRes, so a missing RReq is late or lost.
   */
  readonly resultMs: number;
  /**
   * The time from the creation of the charge to the end of the authentication. A reload restarts the limit of the
   * current step, so this limit bounds the total time.
   */
  readonly totalMs: number;
  /**
   * The time from the end of the authentication to the continuation of the charge. One process does both, so the limit
   * is exceeded only after a crash.
   */
  readonly continuationMs: number;
};

const second = 1_000;
const minute = 60 * second;

export const defaultAuthenticationTiming: AuthenticationTiming = {
  startMs: 10 * minute,
  aresMs: 15 * second,
  requestMs: 60 * second,
  challengeMs: 10 * minute + 30 * second,
  resultMs: 30 * second,
  totalMs: 45 * minute,
  continuationMs: 45 * second,
};

/** Returns the time at which the job processes the authentication, or null if its charge has been continued. */
export function deadlineOf(
  current: Authentication,
  now: Date,
  timing: AuthenticationTiming,
): Date | null {
  const ofStep = deadlineOfStep(current, now, timing);
  if (ofStep === null || current.state === "ended") return ofStep;
  const ofAll = new Date(createdAt(current.attemptId).getTime() + timing.totalMs);
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
      return after(timing.aresMs);
    case "challenged":
      return after(timing.requestMs);
    case "challenging":
      return after(current.responseSeen ? timing.resultMs : timing.challengeMs);
    case "ended":
      return current.handedOver ? null : after(timing.continuationMs);
  }
}
