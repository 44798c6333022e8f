import { amountsIn } from "../../identity/accounts/amounts.ts";
import { type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { claimAnswers, listOverdueDisputes, markAnswered } from "./dispute.sql.ts";
import type { Dispute } from "./dispute.ts";
import { runOut } from "./move-dispute.ts";
import { type DisputeDeps, moveDispute } from "./record-dispute.ts";

const atOnce = 32;

/** Covers the acquirer's 20 s and the recording. An unconfirmed response is sent again after it. */
const answerLeaseMs = 30_000;

/** Closes overdue disputes as lost, and turns overdue inquiries into disputes. */
export function startDeadlines(
  deps: DisputeDeps,
  onError: (name: string, error: unknown) => void,
): Loop {
  return startLoop({
    name: "dispute deadlines",
    everyMs: 5_000,
    onError,
    async work() {
      const now = deps.clock.now();
      const overdue = await listOverdueDisputes(deps.database.read, now, atOnce);
      for (const dispute of overdue) {
        const account = await deps.accounts.get(dispute.owner.account);
        const feeMinor = amountsIn(account, dispute.price.currency).disputeFee;
        await deps.database.transaction((tx) =>
          moveDispute(tx, dispute, { feeMinor, now, cause: null }, (current, world) =>
            current.status === "needs_response" && current.evidenceDueAt <= now
              ? runOut(current, world)
              : null,
          ),
        );
        deps.wakeDeliveries();
      }
      return overdue.length === atOnce;
    },
  });
}

/** Sends the merchants' dispute responses to the network until it confirms them. */
export function startAnswers(
  deps: DisputeDeps,
  onError: (name: string, error: unknown) => void,
): Loop {
  return startLoop({
    name: "dispute answers",
    everyMs: 1_000,
    onError,
    async work() {
      const now = deps.clock.now();
      const until = new Date(now.getTime() + answerLeaseMs);
      const due = await deps.database.transaction((tx) => claimAnswers(tx, now, until, atOnce));
      await Promise.all(due.map((dispute) => tell(deps, dispute)));
      return due.length === atOnce;
    },
  });
}

async function tell(deps: DisputeDeps, dispute: Dispute): Promise<void> {
  const { owner, networkCase, evidence } = dispute;
  try {
    const answer = await deps.processorFor(owner)?.answerDispute({
      account: owner.account,
      networkCase,
      evidence: evidence && Object.values(evidence).join("\n"),
    });
    if (answer?.kind !== "received") return;
    await deps.database.transaction((tx) => markAnswered(tx, dispute));
  } catch (error) {
    deps.log.answerFailed(dispute.id, error);
  }
}
