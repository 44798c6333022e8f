import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { EmbedBuild } from "@florin/embed/build.ts";
import { readConfig } from "../../src/config.ts";
import { prepareDemo } from "../../src/demo.ts";
import { openLog } from "../../src/log.ts";
import { runServer } from "../../src/main.ts";
import { systemClock } from "../../src/primitives/clock.ts";
import { openLocalKeyProvider } from "../../src/vault/local-key-provider.ts";

/**
 * One real server in a process of its own, so that a test can kill it: `serve.ts <embed build> <shop address>`.
 * Settings come from the environment. When it listens it says so on one line: `{"url", "secretKey"}`.
 */
const [outdir, shopUrl] = process.argv.slice(2) as [string, string];

const config = readConfig();
const manifest = JSON.parse(await readFile(join(outdir, "manifest.json"), "utf8"));
const embed: EmbedBuild = { outdir, manifest, gzipBytes: { loader: 0 } as EmbedBuild["gzipBytes"] };
const server = await runServer(
  config,
  config.databaseUrl as string,
  embed,
  openLog(config.logLevel),
);
const demo = await prepareDemo(
  {
    database: server.database,
    clock: systemClock,
    keys: openLocalKeyProvider(config.keysDirectory),
    hashKey: server.hashKey,
  },
  config.dataDirectory,
  shopUrl,
);
process.on("SIGTERM", () => void server.close());
console.log(JSON.stringify({ url: server.url, secretKey: demo.test_secret_key }));
