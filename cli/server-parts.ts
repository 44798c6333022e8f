import type { Config } from "@florin/server/config.ts";
import { createLog } from "@florin/server/log.ts";
import type { ServerParts } from "@florin/server/main.ts";
import { createSimulatedNetwork } from "@florin/simulator/simulated-network.ts";
import type { BrowserBundles } from "./browser-bundles.ts";

/**
 * Creates the parts of a server process that other workspaces provide, such as the built bundles and the simulated
 * network.
 */
export function serverParts(
  config: Config,
  { embed, dashboard, docs }: BrowserBundles,
): ServerParts {
  const acquirer = { responseTimeoutMs: config.acquirerTimeoutMs };
  return {
    embed,
    dashboard: { directory: dashboard },
    docs: { directory: docs },
    log: createLog(config.logLevel),
    createTestNetwork: (deps) => createSimulatedNetwork(deps, { acquirer }),
  };
}
