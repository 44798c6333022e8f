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

/** Starts a server in a child process, which is killed repeatedly, and sometimes Postgres with it. */
export async function startCrashingServer(seed: number): Promise<StartedEnvironment> {
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
        // No server listens there. This test is not about webhooks.
        shopUrl: "http://127.0.0.1:9",
      }),
    );
  let startedInMs = 0;
  let server: ServerProcess = await startTimed();
  let over = false;
  let kills = 0;
  let crashes = 0;
  const storm = crashAgainAndAgain();

  async function startTimed(): Promise<ServerProcess> {
    const begun = performance.now();
    const started = await start();
    startedInMs = performance.now() - begun;
    return started;
  }

  /**
   * A server lives up to as long as it took to start. On a busy machine a fixed life of a second would end before a
   * request is answered, and the requests of a sequence would find no server until their deadline.
   */
  async function crashAgainAndAgain(): Promise<void> {
    while (!over) {
      await sleep(random.between(200, Math.max(1_500, startedInMs)));
      if (random.happens(0.15)) {
        crashes++;
        await stopEmbeddedPostgres(directory, "immediate");
        if (random.happens(0.5)) continue;
      }
      kills++;
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
      stormy: true,
      faults: () => "",
    },
    async check() {
      // A short dose may end before the second kill.
      while (kills < 2) await Promise.race([storm, sleep(50)]);
      over = true;
      await storm;
      await expectNoViolation(database);
      return `${kills} servers killed, Postgres crashed ${crashes} times`;
    },
    async close() {
      over = true;
      await storm.catch(() => undefined);
      await closeClients();
      await server.kill();
      await database.close();
      await postgres.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
