import assert from "node:assert/strict";
import type { ChargeDeps } from "../charges/charge-deps.ts";
import { takeOperationNotice } from "../charges/operation.jobs.ts";
import type { OperationDeps } from "../charges/operation-deps.ts";
import { takeNotice } from "../charges/reconcile-charge.ts";
import { type DisputeDeps, takeDisputeNotice } from "../disputes/record-dispute.ts";
import type { SimulatorOptions } from "../processors/simulator/simulator.ts";

/** What it takes to act on a notice. */
type Listeners = {
  readonly charges: ChargeDeps;
  readonly operations: OperationDeps;
  readonly disputes: DisputeDeps;
};

/**
 * The service's door for what the acquirer tells by itself. The acquirer is given the door when it is opened, and those
 * who act on its news ask the acquirer in turn, so they can only come after it: `hearWith` lets them in, once, before
 * the first request is served and the first notice sent.
 */
export type Notices = {
  readonly door: Required<Pick<SimulatorOptions, "onNotice" | "onOperation" | "onDispute">>;
  hearWith(listeners: Listeners): void;
};

export function openNotices(): Notices {
  let heardBy: Listeners | null = null;

  function listeners(): Listeners {
    assert(heardBy, "the acquirer told of something before anybody could hear it");
    return heardBy;
  }

  return {
    door: {
      onNotice: async (notice) => takeNotice(listeners().charges, notice),
      onOperation: async (notice) => takeOperationNotice(listeners().operations, notice),
      onDispute: async (notice) => takeDisputeNotice(listeners().disputes, notice),
    },
    hearWith(those) {
      heardBy = those;
    },
  };
}
