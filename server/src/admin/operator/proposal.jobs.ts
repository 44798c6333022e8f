import type { Clock } from "../../core/clock.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import {
  endObsoleteProposal,
  expireProposal,
  listPendingProposals,
  maxWrongKeys,
  type Proposal,
} from "./proposal.sql.ts";
import { isApplicable, isOperator } from "./sensitive-action.ts";

type Deps = { readonly database: Database; readonly clock: Clock };

/** Expires proposals that were not confirmed in time, and ends proposals that can no longer be confirmed. */
export function startProposalEndings(deps: Deps, background: Background): Loop {
  return startLoop({
    name: "endings of proposals",
    everyMs: 10_000,
    background,
    async work() {
      await endObsoleteProposals(deps);
      return expireOneProposal(deps);
    },
  });
}

export async function expireOneProposal({ database, clock }: Deps): Promise<boolean> {
  return database.transaction(async (tx) => {
    const expired = await expireProposal(tx, clock.now());
    if (expired) await record(tx, clock, "proposal.expired", expired);
    return expired !== null;
  });
}

/**
 * Ends pending proposals that can no longer be confirmed, because their object changed, their proposer is no longer an
 * operator, or too many wrong keys were entered.
 */
export async function endObsoleteProposals(deps: Deps): Promise<void> {
  for (const proposal of await listPendingProposals(deps.database.read)) {
    await endIfObsolete(deps, proposal);
  }
}

/** Ends the proposal if it can no longer be confirmed. */
export async function endIfObsolete({ database, clock }: Deps, proposal: Proposal): Promise<void> {
  if (await canBeConfirmed(database.read, proposal)) return;
  await database.transaction(async (tx) => {
    const ended = await endObsoleteProposal(tx, proposal.id, clock.now());
    if (ended) await record(tx, clock, "proposal.obsolete", ended);
  });
}

async function canBeConfirmed(
  read: Sql,
  { action, proposedBy, wrongKeys }: Proposal,
): Promise<boolean> {
  if (wrongKeys >= maxWrongKeys) return false;
  return (await isOperator(read, proposedBy)) && (await isApplicable(read, action));
}

function record(
  tx: Tx,
  clock: Clock,
  action: "proposal.expired" | "proposal.obsolete",
  { id, action: proposed, proposedBy }: Proposal,
): Promise<void> {
  const entry = {
    account: null,
    livemode: null,
    actor: { kind: "service" },
    action,
    object: id,
    after: { kind: proposed.kind, proposed_by: proposedBy },
  } as const;
  return recordAuditEntry(tx, entry, clock);
}
