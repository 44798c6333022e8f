import type { EmbedBuild } from "@florin/embed/build.ts";
import type { Config } from "@florin/server/config.ts";
import { createLog } from "@florin/server/log.ts";
import type { ServerParts } from "@florin/server/main.ts";
import { createSimulatedNetwork } from "@florin/simulator/simulated-network.ts";

export function serverParts(
  { logLevel }: Config,
  embed: Pick<EmbedBuild, "outdir" | "manifest">,
): ServerParts {
  return { embed, log: createLog(logLevel), createTestNetwork: createSimulatedNetwork };
}
