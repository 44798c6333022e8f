import { ApiError } from "../../core/api-error.ts";
import { newId } from "../../core/ids.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { OperatorDeps } from "./operator-deps.ts";
import { type OperatorRequest, operatorAuditEntry } from "./operator-request.ts";
import { countPendingProposals, insertProposal, type Proposal } from "./proposal.sql.ts";
import { type Grounds, performSensitiveAction, type SensitiveAction } from "./sensitive-action.ts";

/**
 * The lifetime of a proposal. A day is long enough for an operator in another time zone to confirm, and short enough
 * that the proposal usually still matches the current state.
 */
const proposalTtlMs = 24 * 60 * 60_000;

const maxPendingProposals = 100;

/**
 * Performs a sensitive change and returns null. If FLORIN_FOUR_EYES is on, proposes the change to a second operator
 * instead. Rejects a change that is not possible now, even as a proposal. `secrets` are the encrypted secrets that the
 * change stores.
 */
export async function performOrPropose(
  deps: OperatorDeps,
  request: OperatorRequest,
  action: SensitiveAction,
  reason: string,
  secrets: Buffer | null = null,
): Promise<Proposal | null> {
  const { database } = deps;
  const grounds = { reason, secrets };
  if (deps.fourEyes) {
    await rehearse(deps, request, action, grounds);
    return propose(deps, request, action, grounds);
  }
  await database.transaction((tx) => performSensitiveAction(deps, tx, request, action, grounds));
  deps.wakeDeliveries();
  return null;
}

class Rehearsed extends Error {}

/** Checks that the change is possible: applies it in a transaction that is rolled back. */
async function rehearse(
  deps: OperatorDeps,
  request: OperatorRequest,
  action: SensitiveAction,
  grounds: Grounds,
): Promise<void> {
  const rehearsal = deps.database.transaction(async (tx) => {
    await performSensitiveAction(deps, tx, request, action, grounds);
    throw new Rehearsed();
  });
  await rehearsal.catch((error: unknown) => {
    if (!(error instanceof Rehearsed)) throw error;
  });
}

async function propose(
  { database, clock }: OperatorDeps,
  request: OperatorRequest,
  action: SensitiveAction,
  { reason, secrets }: Grounds,
): Promise<Proposal> {
  const now = clock.now();
  const proposal: Proposal = {
    id: newId("prop", now),
    action,
    account: "account" in action ? action.account : null,
    reason,
    secrets,
    wrongKeys: 0,
    status: "pending",
    proposedBy: request.caller.person,
    expiresAt: new Date(now.getTime() + proposalTtlMs),
    decidedBy: null,
    decidedAt: null,
  };
  await database.transaction(async (tx) => {
    if ((await countPendingProposals(tx)) >= maxPendingProposals) {
      throw new ApiError(
        "status_transition_invalid",
        `The limit of ${maxPendingProposals} pending proposals has been reached. Confirm, reject or withdraw some of them first.`,
      );
    }
    await insertProposal(tx, proposal);
    const { id: object } = proposal;
    const done = {
      account: null,
      action: "proposal.created",
      object,
      after: action,
      reason,
    } as const;
    await recordAuditEntry(tx, operatorAuditEntry(request, done), clock);
  });
  return proposal;
}
