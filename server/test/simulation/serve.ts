import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { EmbedBuild } from "@florin/embed/build.ts";
import { createSimulatedNetwork } from "@florin/simulator/simulated-network.ts";
import { readConfig } from "../../src/config.ts";
import { systemClock } from "../../src/core/clock.ts";
import { prepareDemo } from "../../src/demo.ts";
import { createLog } from "../../src/log.ts";
import { runServer } from "../../src/main.ts";
import { createLocalKeyProvider } from "../../src/vault/local-key-provider.ts";

/**
 * Runs a server in a child process that a test can kill: `serve.ts <embed build> <shop URL>`. Reads the settings from
 * the environment. Prints `{"url", "secretKey"}` on one line when it listens.
 */
const [outdir, shopUrl] = process.argv.slice(2) as [string, string];

const config = readConfig();
const manifest = JSON.parse(await readFile(join(outdir, "manifest.json"), "utf8"));
const embed: EmbedBuild = { outdir, manifest, gzipBytes: { loader: 0 } as EmbedBuild["gzipBytes"] };
const server = await runServer(config, config.databaseUrl as string, {
  embed,
  log: createLog(config.logLevel),
  createTestNetwork: (deps) =>
    createSimulatedNetwork(deps, { acquirer: { responseTimeoutMs: config.acquirerTimeoutMs } }),
});
const demo = await prepareDemo(
  {
    database: server.database,
    clock: systemClock,
    keys: createLocalKeyProvider(config.keysDirectory),
    hashKey: server.hashKey,
  },
  config.dataDirectory,
  shopUrl,
);
process.on("SIGTERM", () => void server.close());
console.log(JSON.stringify({ url: server.url, secretKey: demo.test_secret_key }));
