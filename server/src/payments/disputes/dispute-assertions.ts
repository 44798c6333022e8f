import type { SubmitEvidence } from "@florin/contract/dispute.ts";
import { ApiError } from "../../core/api-error.ts";
import type { Dispute } from "./dispute.ts";

/** Rejects a submission without evidence, because evidence can be submitted only once. */
export function assertEvidence(evidence: SubmitEvidence): void {
  if (Object.keys(evidence).length > 0) return;
  throw new ApiError(
    "parameter_missing",
    "The evidence is empty. Send at least one text or file, such as `uncategorized_text`. You can submit evidence only once.",
    { param: "uncategorized_text" },
  );
}

export function assertOpen({ id, status }: Dispute): void {
  if (status === "needs_response" || status === "under_review") return;
  throw new ApiError(
    "dispute_closed",
    `The dispute '${id}' is '${status}'. It must be 'needs_response' or 'under_review' for this request.`,
    { param: "id" },
  );
}

/**
 * Rejects the acceptance of a closed dispute and, in live mode, of a dispute whose evidence was already submitted. An
 * acquirer takes only one response to a dispute, and the dispute could still be won.
 */
export function assertAcceptable(dispute: Dispute): void {
  assertOpen(dispute);
  if (dispute.scope.livemode && dispute.status === "under_review") throw alreadySubmitted(dispute);
}

export function assertResponseAllowed(dispute: Dispute, now: Date): void {
  assertOpen(dispute);
  const { id, status, evidenceDueAt } = dispute;
  if (status === "under_review") throw alreadySubmitted(dispute);
  if (evidenceDueAt > now) return;
  throw new ApiError(
    "dispute_evidence_past_due",
    `The deadline for evidence for the dispute '${id}' was ${evidenceDueAt.toISOString()}. Wait for the outcome.`,
    { param: "id" },
  );
}

function alreadySubmitted({ id }: Dispute): ApiError {
  return new ApiError(
    "dispute_already_submitted",
    `The evidence for the dispute '${id}' was already submitted, and the dispute is 'under_review'. Wait for the outcome.`,
    { param: "id" },
  );
}
