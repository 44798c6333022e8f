import { join } from "node:path";
import { readConfig } from "../../src/config.ts";
import { systemClock } from "../../src/core/clock.ts";
import { prepareDemo } from "../../src/demo.ts";
import { endProcess } from "../../src/platform/processes/end-process.ts";
import { runService } from "../../src/server-processes.ts";
import { createLocalKeyProvider } from "../../src/vault/local-key-provider.ts";
import { serverParts } from "./serve-parts.ts";

/**
 * Runs a server in a child process that a test can kill: `serve.ts <embed build> <shop URL>`. Reads the settings from
 * the environment. Prints `{"url", "secretKey"}` on one line when it listens.
 */
const [outdir, shopUrl] = process.argv.slice(2) as [string, string];

const config = readConfig();
const server = await runService(config, config.databaseUrl as string, {
  workerScript: join(import.meta.dirname, "serve-worker.ts"),
  parts: outdir,
  createParts: serverParts,
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
process.on("SIGTERM", () => void server.close().then(() => endProcess(0)));
// Kills one of several server processes.
process.on("SIGUSR2", () => {
  const pids = server.pids();
  process.kill(pids[Math.floor(Math.random() * pids.length)] as number, "SIGKILL");
});
void server.failed.then((error) => {
  console.error(error);
  process.exit(1);
});
console.log(JSON.stringify({ url: server.url, secretKey: demo.test_secret_key }));
