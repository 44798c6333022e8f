import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { builtEmbed } from "@florin/embed/test/built-embed.ts";
import { isLiveKey } from "../../../src/identity/api-keys/key-text.ts";
import { connectDatabase } from "../../../src/platform/database/database.ts";
import {
  startEmbeddedPostgres,
  stopEmbeddedPostgres,
} from "../../../src/platform/database/embedded.ts";
import { migrate } from "../../../src/platform/database/migrate.ts";
import { createLocalKeyProvider } from "../../../src/vault/local-key-provider.ts";
import { retryWhileUnavailable } from "../retry-while-unavailable.ts";
import { seededRandom } from "../seeded-random.ts";
import { type ServerProcess, startServer } from "../server-process.ts";
import { expectNoViolation, type StartedEnvironment } from "./environments.ts";
import { closeClients } from "./merchant.ts";
import { newMerchant } from "./new-merchant.ts";

/**
 * Starts a server in a child process. Repeatedly kills it, and sometimes crashes Postgres too. If the server has
 * several processes, mostly kills only one of them.
 */
export async function startCrashingServer(
  seed: number,
  processes = 1,
): Promise<StartedEnvironment> {
  const directory = await mkdtemp(join(tmpdir(), "florin-model-"));
  const postgres = await startEmbeddedPostgres({ directory, log: () => undefined });
  await migrate(postgres.url);
  const database = connectDatabase({
    url: postgres.url,
    poolSize: 4,
    onIdleError: () => undefined,
  });
  const embed = await builtEmbed();
  const keys = createLocalKeyProvider(join(directory, "keys"));
  const random = seededRandom(seed);
  const start = () =>
    retryWhileUnavailable(() =>
      startServer({
        databaseUrl: postgres.url,
        dataDirectory: directory,
        embedDirectory: embed.outdir,
        // No server listens here, because this test does not cover webhooks.
        shopUrl: "http://127.0.0.1:9",
        environment: { FLORIN_PROCESSES: String(processes) },
      }),
    );
  let startedInMs = 0;
  let server: ServerProcess = await startTimed();
  let over = false;
  let kills = 0;
  let crashes = 0;
  const interruptions = crashRepeatedly();

  async function startTimed(): Promise<ServerProcess> {
    const begun = performance.now();
    const started = await start();
    startedInMs = performance.now() - begun;
    return started;
  }

  /**
   * Kills the server after a random time that is at most its startup time, or 1.5 seconds if that is longer. With a
   * fixed maximum, a server on a busy machine would be killed before it could respond, and all requests would time out.
   */
  async function crashRepeatedly(): Promise<void> {
    while (!over) {
      await sleep(random.between(200, Math.max(1_500, startedInMs)));
      if (random.happens(0.15)) {
        crashes++;
        await stopEmbeddedPostgres(directory, "immediate");
        if (random.happens(0.5)) continue;
      }
      kills++;
      if (processes > 1 && random.happens(0.8)) {
        server.killWorker();
        continue;
      }
      await server.kill();
      server = await startTimed();
    }
  }

  return {
    environment: {
      url: () => server.url,
      createMerchant: () =>
        newMerchant(database, (key) => keys.mac(isLiveKey(key), Buffer.from(`api_key|${key}`))),
      injectFaults: null,
      hasInterruptions: true,
      loggedErrors: () => "",
    },
    async check() {
      // The sequences of a short dose may finish before the second kill.
      while (kills < 2) await Promise.race([interruptions, sleep(50)]);
      over = true;
      await interruptions;
      await expectNoViolation(database);
      return `${kills} servers killed, Postgres crashed ${crashes} times`;
    },
    async close() {
      over = true;
      await interruptions.catch(() => undefined);
      await closeClients();
      await server.kill();
      await database.close();
      await postgres.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
