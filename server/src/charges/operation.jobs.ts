import { type Loop, startLoop } from "../jobs/loop.ts";
import { ApiError } from "../primitives/api-error.ts";
import type { OperationNotice } from "../processors/processor.ts";
import { claimDueOperations, listChargesToRelease, readOperation } from "./operation.sql.ts";
import type { ProcessingOperation } from "./operation.ts";
import type { OperationDeps } from "./operation-deps.ts";
import { recordOperation } from "./record-operation.ts";
import { askOnce, runOperation } from "./run-operation.ts";

const atOnce = 32;

/** 20 s for the acquirer twice, for what it does not know is asked for again, and the recording. */
const leaseMs = 60_000;

/** Finishes every operation whose answer never came. */
export function startDueOperations(
  deps: OperationDeps,
  onError: (name: string, error: unknown) => void,
): Loop {
  return startLoop({
    name: "due operations",
    everyMs: 1_000,
    onError,
    async work() {
      const now = deps.clock.now();
      const until = new Date(now.getTime() + leaseMs);
      const due = await deps.database.transaction((tx) =>
        claimDueOperations(tx, { now, until, process: deps.processNumber() }, atOnce),
      );
      await Promise.all(due.map((operation) => finish(deps, operation)));
      return due.length === atOnce;
    },
  });
}

/**
 * Asks what became of it. What the acquirer does not know it is asked to do again: under the same reference it is
 * done once, whenever the first request arrives.
 */
async function finish(deps: OperationDeps, operation: ProcessingOperation): Promise<void> {
  const { owner, id } = operation;
  try {
    const processor = deps.processorFor(owner);
    const heard = processor
      ? await processor.inquireOperation({ account: owner.account, reference: id })
      : ({ kind: "unknown", why: "connection_lost" } as const);
    const answer = heard.kind === "not_found" ? await askOnce(deps, operation) : heard;
    await recordOperation(deps, operation, answer, "inquiry");
  } catch (error) {
    // One's trouble is not the others': its lease runs out and it comes due again.
    deps.log.inquiryFailed(id, error);
  }
}

/** Takes an acquirer's notice; whatever comes after the end changes nothing, but that a refund fails late. */
export async function takeOperationNotice(
  deps: OperationDeps,
  { account, livemode, reference, answer }: OperationNotice,
): Promise<void> {
  // "Not yet" is no news, and must not push the next inquiry further away.
  if (answer.kind === "pending" || answer.kind === "unknown") return;
  const operation = await readOperation(deps.database.read, { account, livemode }, reference);
  if (operation) await recordOperation(deps, operation, answer);
}

/** Lets go what was not captured in time: the issuer no longer holds it, and the merchant is told. */
export function startReleases(
  deps: OperationDeps,
  onError: (name: string, error: unknown) => void,
): Loop {
  return startLoop({
    name: "releases",
    everyMs: 5_000,
    onError,
    async work() {
      const due = await listChargesToRelease(deps.database.read, deps.clock.now(), atOnce);
      for (const { owner, id } of due) {
        const words = { amountMinor: null, reason: null, metadata: {}, request: null };
        await runOperation(deps, { owner, kind: "void", chargeId: id, ...words }).catch(
          // Captured or canceled meanwhile, which is as well.
          (error) => {
            if (!(error instanceof ApiError)) throw error;
          },
        );
      }
      return due.length === atOnce;
    },
  });
}
