import { ApiError, noSuch } from "../../core/api-error.ts";
import type { PersonId } from "../../core/ids.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { maxWrongKeys, type Proposal, type ProposalId, readProposal } from "./proposal.sql.ts";

/**
 * Returns the reason why the person cannot confirm the proposal, or null if the proposal's own fields contain no such
 * reason.
 */
export function obstacleTo(
  { status, expiresAt, proposedBy, wrongKeys }: Proposal,
  person: PersonId,
  now: Date,
): ApiError | null {
  if (status !== "pending") return notPending(`is ${status}`);
  if (expiresAt <= now) return notPending("has expired");
  if (proposedBy === person) return ownProposal();
  if (wrongKeys >= maxWrongKeys) {
    return notPending("can no longer be confirmed, because too many wrong keys were entered");
  }
  return null;
}

/** Returns the reason why a compare-and-set of the proposal changed no row. */
export async function readObstacle(
  read: Sql,
  id: ProposalId,
  person: PersonId,
  now: Date,
): Promise<ApiError> {
  const proposal = await readProposal(read, id);
  if (!proposal) return noSuch("proposal", id);
  const obstacle = obstacleTo(proposal, person, now);
  return obstacle ?? notPending("was made by a person who is no longer an operator");
}

function notPending(why: string): ApiError {
  return new ApiError(
    "status_transition_invalid",
    `The proposal ${why}. You can confirm, reject or withdraw only pending proposals. If the change is still needed, propose it again.`,
  );
}

function ownProposal(): ApiError {
  return new ApiError(
    "second_operator_required",
    "You made this proposal. Ask another operator to confirm it.",
  );
}
