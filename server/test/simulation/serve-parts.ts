import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createSimulatedNetwork } from "@florin/simulator/simulated-network.ts";
import type { Config } from "../../src/config.ts";
import { createLog } from "../../src/log.ts";
import type { ServerParts } from "../../src/main.ts";

export async function serverParts(config: Config, embedDirectory: string): Promise<ServerParts> {
  const manifest = JSON.parse(await readFile(join(embedDirectory, "manifest.json"), "utf8"));
  return {
    embed: { outdir: embedDirectory, manifest },
    log: createLog(config.logLevel),
    createTestNetwork: (deps) =>
      createSimulatedNetwork(deps, {
        acquirer: { responseTimeoutMs: config.acquirerTimeoutMs },
        // On a slow machine, two restarts of a killed server take longer than the default of 30 s. The service's own
        // limit for the same step is 60 s.
        threeDSecure: { creqWithinMs: 120_000 },
      }),
  };
}
