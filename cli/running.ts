import type { Demo } from "@florin/server/demo.ts";
import type { RunningServer } from "@florin/server/main.ts";
import type { Shop } from "./shop.ts";

/** Everything that `florin start` has started. */
export type Running = {
  readonly server: RunningServer;
  readonly demo: Demo | null;
  readonly shop: Shop | null;
  /** Makes the first person who opens it the operator. Null when there is one. */
  readonly operatorSetupUrl: string | null;
};
