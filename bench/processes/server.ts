import { join } from "node:path";
import { buildEmbedInChildProcess } from "@florin/embed/build-in-child-process.ts";
import { readConfig } from "@florin/server/config.ts";
import { systemClock } from "@florin/server/core/clock.ts";
import { prepareDemo } from "@florin/server/demo.ts";
import { prepareOperatorSetup } from "@florin/server/identity/people/operator-setup.ts";
import { runService } from "@florin/server/server-processes.ts";
import { createLocalKeyProvider } from "@florin/server/vault/local-key-provider.ts";
import { createMerchants } from "../create-merchants.ts";
import { serveBench, settingsOfThisProcess } from "./child.ts";
import type { ServerReady, ServerSettings } from "./server-messages.ts";
import { serverParts } from "./server-parts.ts";

/** The server as `florin start` runs it: with its workers and all endpoints, on a separate database. */
const {
  databaseUrl,
  directory,
  workers = true,
  merchants = 0,
  processes = 1,
  tracing,
  adyenUrl,
} = settingsOfThisProcess<ServerSettings>();
const config = readConfig({
  PORT: "0",
  FLORIN_DATA: directory,
  FLORIN_RATE_LIMIT: "off",
  FLORIN_LOG: "warn",
  FLORIN_PROCESSES: String(processes),
  FLORIN_WORKERS: workers ? "on" : "off",
  ...(tracing && {
    FLORIN_OTLP_URL: tracing.url,
    FLORIN_TRACE_RATIO: String(tracing.ratio),
  }),
  ...(adyenUrl && { FLORIN_ACQUIRERS: "sandbox", FLORIN_ACQUIRER_URLS: `adyen=${adyenUrl}` }),
});
const embed = await buildEmbedInChildProcess({ outdir: join(directory, "embed") });
const server = await runService(config, databaseUrl, {
  workerScript: join(import.meta.dirname, "server-worker.ts"),
  parts: embed,
  createParts: serverParts,
});
const { database, hashKey } = server;
const demo = await prepareDemo(
  {
    database,
    clock: systemClock,
    keys: createLocalKeyProvider(config.keysDirectory),
    hashKey,
  },
  directory,
  null,
);
const ready: ServerReady = {
  url: server.url,
  merchant: { account: demo.account_id, secretKey: demo.test_secret_key },
  merchants: await createMerchants({ database, clock: systemClock, hashKey }, merchants),
  listener: {
    account: demo.other_account.account_id,
    secretKey: demo.other_account.test_secret_key,
  },
  people: {
    owner: demo.dashboard_sign_in,
    operatorToken: (await prepareOperatorSetup({ database, clock: systemClock })) ?? "",
  },
};
serveBench(ready, server.close);
