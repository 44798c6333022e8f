import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { builtEmbed } from "@florin/embed/test/built-embed.ts";
import { createTestDatabase } from "../database.ts";
import { startServer } from "./server-process.ts";

const database = await createTestDatabase();
const directory = await mkdtemp(join(tmpdir(), "florin-primary-"));
after(async () => {
  await rm(directory, { recursive: true, force: true });
  await database.drop();
});

test("requests in flight are finished if the primary process is killed, and the port is free afterwards", async () => {
  const options = {
    databaseUrl: database.url,
    dataDirectory: directory,
    embedDirectory: (await builtEmbed()).outdir,
    shopUrl: "http://127.0.0.1:9",
    environment: { FLORIN_PROCESSES: "2", FLORIN_ACQUIRER_TIMEOUT_MS: "3000" },
  };
  const server = await startServer(options);
  // The acquirer does not respond to a charge of this amount, so the request waits for the timeout.
  const response = fetch(`${server.url}/api/v1/charges`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.secretKey}`,
      "content-type": "application/json",
      "idempotency-key": "primary-death",
    },
    body: JSON.stringify({
      amount: 9_004_001,
      currency: "usd",
      payment_method_id: "pm_card_visa",
    }),
  });
  await sleep(1_000);
  await server.kill();
  const { status } = await response;
  assert.ok(status >= 200 && status < 300, `status ${status}`);

  const restarted = await startServer({ ...options, port: Number(new URL(server.url).port) });
  await restarted.stop();
});
