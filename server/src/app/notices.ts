import assert from "node:assert/strict";
import type { SimulatorOptions } from "../acquiring/simulator/simulator.ts";
import type { ChargeDeps } from "../payments/charges/charge-deps.ts";
import { takeOperationNotice } from "../payments/charges/operation.jobs.ts";
import type { OperationDeps } from "../payments/charges/operation-deps.ts";
import { takeNotice } from "../payments/charges/reconcile-charge.ts";
import { type DisputeDeps, takeDisputeNotice } from "../payments/disputes/record-dispute.ts";

/** The dependencies of the notice handlers. */
type Listeners = {
  readonly charges: ChargeDeps;
  readonly operations: OperationDeps;
  readonly disputes: DisputeDeps;
};

/**
 * The entry point of unsolicited acquirer notices. The acquirer needs the callbacks when it is created, and the
 * handlers need the acquirer. `hearWith` therefore sets the handlers afterwards, once, before the first request is
 * served and the first notice is sent.
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
