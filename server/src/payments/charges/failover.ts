import type { AuthorizationOutcome } from "../../acquiring/outcome.ts";
import type { AssignmentId } from "../../core/ids.ts";
import { type Declined, declinedBefore } from "./cascade.ts";
import type { ProcessingCharge } from "./charge.ts";
import type { FailedAttempt } from "./charge-attempt.sql.ts";

/** The charge as last sent to an acquirer, and the outcome of that attempt. */
export type Attempted<Sent> = {
  readonly charge: Sent;
  readonly outcome: AuthorizationOutcome;
};

/** The functions that `authorizeInTurn` calls to send, choose and record attempts. */
export type FailoverSteps<Acquirer, Sent> = {
  readonly now: () => Date;
  /** Sends the authorization request and returns its outcome. */
  readonly send: (acquirer: Acquirer, charge: Sent) => Promise<AuthorizationOutcome>;
  /** Returns whether a declined charge may be sent to one more acquirer. */
  readonly mayCascade: (declined: Declined) => boolean;
  /** Returns the next acquirer, or null if there is none. */
  readonly next: (charge: Sent, tried: readonly AssignmentId[]) => Acquirer | null;
  /**
   * Records the failed attempt and the charge's next assignment. Returns null if another writer has changed the charge.
   */
  readonly move: (
    charge: Sent,
    next: Acquirer,
    failed: FailedAttempt,
    outcome: AuthorizationOutcome,
  ) => Promise<Sent | null>;
};

/**
 * Another attempt may start only within this time after the start of the first. It is sent at most 2 s later
 * (`maxAdmissionMs`), and the acquirer has up to 20 s to respond, so a merchant's request takes at most 28 s.
 */
const failoverWithinMs = 6_000;

/**
 * Sends a charge to one acquirer after another, until one may have approved it. At most one acquirer may ever have
 * approved it: the next one is tried only if it is certain that the last one has not processed the charge. If
 * `mayCascade` allows it, the charge is also sent to another acquirer after a decline, at most once.
 */
export async function authorizeInTurn<
  Acquirer,
  Sent extends Pick<ProcessingCharge, "assignmentId">,
>(
  { now, send, mayCascade, next, move }: FailoverSteps<Acquirer, Sent>,
  first: Acquirer,
  charge: Sent,
): Promise<Attempted<Sent>> {
  const startedAt = now().getTime();
  const tried: AssignmentId[] = [];
  let current = charge;
  let acquirer = first;
  let declined: Declined | null = null;
  for (;;) {
    const outcome = await send(acquirer, current);
    const cascades = declined === null && outcome.kind === "declined" && mayCascade(outcome);
    const failed = cascades ? declinedAttempt(current, outcome) : failedAttempt(current, outcome);
    const isNotProcessed = outcome.kind === "not_sent" || outcome.kind === "rejected";
    const result = declined && isNotProcessed ? declinedBefore(declined) : outcome;
    const endedAt = now();
    if (!failed || endedAt.getTime() - startedAt > failoverWithinMs) {
      return { charge: current, outcome: result };
    }
    tried.push(failed.assignmentId);
    const following = next(current, tried);
    const moved = following && (await move(current, following, { ...failed, endedAt }, outcome));
    if (!moved) return { charge: current, outcome: result };
    if (outcome.kind === "declined") declined = outcome;
    current = moved;
    acquirer = following;
  }
}

/**
 * Returns the declined attempt of a charge that may be sent to another acquirer. Returns null if the charge has no
 * assignment.
 */
function declinedAttempt(
  { assignmentId }: Pick<ProcessingCharge, "assignmentId">,
  { code, networkDeclineCode }: Declined,
): Omit<FailedAttempt, "endedAt"> | null {
  if (assignmentId === null) return null;
  return { assignmentId, outcome: "declined", reason: code, acquirerErrorCode: networkDeclineCode };
}

/**
 * Returns the failed attempt if another acquirer may process the charge. This is the case if this acquirer certainly
 * has not processed it, for a reason that need not apply to another acquirer. Returns null for any other outcome.
 */
function failedAttempt(
  { assignmentId }: Pick<ProcessingCharge, "assignmentId">,
  outcome: AuthorizationOutcome,
): Omit<FailedAttempt, "endedAt"> | null {
  if (assignmentId === null) return null;
  if (outcome.kind === "not_sent") {
    return { assignmentId, outcome: "not_sent", reason: null, acquirerErrorCode: null };
  }
  if (outcome.kind !== "rejected") return null;
  const { why, acquirerErrorCode } = outcome;
  switch (why) {
    case "credentials":
    case "rate_limited":
    case "amount_not_representable":
      return { assignmentId, outcome: "rejected", reason: why, acquirerErrorCode };
    case "invalid_request":
    case "card_data":
    case "wallet_token":
      return null;
  }
}
