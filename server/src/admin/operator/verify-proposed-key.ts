import assert from "node:assert/strict";
import type { ConfirmProposal } from "@florin/contract/operator.ts";
import {
  AcquirerSecret,
  decryptConnectionSecrets,
} from "../../acquiring/connections/connection-secrets.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { OperatorDeps } from "./operator-deps.ts";
import { type OperatorRequest, operatorAuditEntry } from "./operator-request.ts";
import {
  countWrongKey,
  maxWrongKeys,
  type Proposal,
  type ProposalId,
  readProposal,
} from "./proposal.sql.ts";
import { obstacleTo, readObstacle } from "./proposal-obstacle.ts";

/**
 * Verifies that the operator has entered the HMAC key of the proposed secrets. The proposer chooses this key, so only an
 * operator who has read it at the acquirer knows that the acquirer signs with it. Returns the encrypted secrets that
 * contain the key, or null for a proposal of another kind.
 */
export async function verifyProposedKey(
  deps: OperatorDeps,
  request: OperatorRequest<ConfirmProposal>,
  id: ProposalId,
): Promise<Buffer | null> {
  const { database, clock, keys } = deps;
  const { hmac_key } = request.body;
  const proposal = await readProposal(database.read, id);
  if (!proposal) throw noSuch("proposal", id);
  const { action, secrets } = proposal;
  if (action.kind !== "replace_secrets") {
    if (hmac_key === undefined) return null;
    throw new ApiError(
      "parameter_unknown",
      "`hmac_key` is only for proposals that replace the secrets of a connection. Leave it out.",
      { param: "hmac_key" },
    );
  }
  // The key is not compared if the operator proposed it, or after the limit of wrong keys is reached.
  const obstacle = obstacleTo(proposal, request.caller.person, clock.now());
  if (obstacle) throw obstacle;
  if (hmac_key === undefined) {
    throw new ApiError(
      "parameter_missing",
      "`hmac_key` is missing. Enter the new HMAC key as the acquirer's own console shows it.",
      { param: "hmac_key" },
    );
  }
  assert(secrets, "proposal: the secrets are missing");
  const proposed = await decryptConnectionSecrets(keys, action.connection, secrets);
  if (proposed.hmacKey.equals(new AcquirerSecret(hmac_key))) return secrets;
  throw await rejectKey(deps, request, proposal);
}

/**
 * Counts the wrong key before the response reveals that it is wrong, so that concurrent requests cannot exceed the
 * limit. Returns the error.
 */
async function rejectKey(
  { database, clock }: OperatorDeps,
  request: OperatorRequest<ConfirmProposal>,
  { id, action, proposedBy }: Proposal,
): Promise<ApiError> {
  const { person } = request.caller;
  const wrongKeys = await database.transaction(async (tx) => {
    const counted = await countWrongKey(tx, id, person, clock.now());
    if (counted === null) return null;
    const after = { kind: action.kind, proposed_by: proposedBy, wrong_keys: counted };
    const done = { account: null, action: "proposal.key_rejected", object: id, after } as const;
    await recordAuditEntry(tx, operatorAuditEntry(request, done), clock);
    return counted;
  });
  if (wrongKeys === null) return readObstacle(database.read, id, person, clock.now());
  const left = maxWrongKeys - wrongKeys;
  const next =
    left === 0
      ? "Too many wrong keys were entered, so the proposal has ended. If the acquirer's console shows a new key, propose that key."
      : `Enter the key that the acquirer's own console shows. If it still differs, reject the proposal, because the acquirer does not sign with the proposed key. Remaining attempts: ${left}.`;
  return new ApiError("parameter_invalid", `\`hmac_key\` differs from the proposed key. ${next}`, {
    param: "hmac_key",
  });
}
