import type { Demo } from "@florin/server/demo.ts";
import type { RunningServer } from "@florin/server/main.ts";
import type { Shop } from "./shop.ts";

/** All that `florin start` has started. */
export type Running = {
  readonly server: RunningServer;
  readonly demo: Demo | null;
  readonly shop: Shop | null;
  /** Makes whoever opens it first the operator; null when there is one. */
  readonly operatorSetupUrl: string | null;
};
