import type { Clock } from "../../core/clock.ts";
import { recordAct } from "../../platform/audit/record-act.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Loop, type LoopOptions, startLoop } from "../../platform/jobs/loop.ts";
import { expireProposal } from "./proposal.sql.ts";

type Deps = { readonly database: Database; readonly clock: Clock };

/** Ends proposals that no second operator confirmed in time. */
export function startProposalExpiry(deps: Deps, onError: LoopOptions["onError"]): Loop {
  return startLoop({
    name: "expiry of proposals",
    everyMs: 60_000,
    onError,
    work: () => expireOneProposal(deps),
  });
}

export async function expireOneProposal({ database, clock }: Deps): Promise<boolean> {
  return database.transaction(async (tx) => {
    const expired = await expireProposal(tx, clock.now());
    if (!expired) return false;
    const { id, act, proposedBy } = expired;
    const entry = {
      account: null,
      livemode: null,
      actor: { kind: "service" },
      action: "proposal.expired",
      object: id,
      after: { kind: act.kind, proposed_by: proposedBy },
    } as const;
    await recordAct(tx, entry, clock);
    return true;
  });
}
