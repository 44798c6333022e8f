import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { builtEmbed } from "@florin/embed/test/built-embed.ts";
import { readConfig } from "../../src/config.ts";
import { connectDatabase } from "../../src/platform/database/database.ts";
import { createChannel, isMessages } from "../../src/platform/processes/channel.ts";
import { type StartWorker, workerTopics } from "../../src/worker-process.ts";
import { createTestDatabase } from "../database.ts";
import { endChild } from "../end-child.ts";

const directory = await mkdtemp(join(tmpdir(), "florin-worker-"));
const testDatabase = await createTestDatabase();
const database = connectDatabase({
  url: testDatabase.url,
  poolSize: 1,
  onIdleError: () => undefined,
});
let worker: ChildProcess | null = null;
after(async () => {
  if (worker) await endChild(worker);
  await database.close();
  await testDatabase.drop();
  await rm(directory, { recursive: true });
});

test("a worker process that is stopped while it starts closes its server and exits with 0", async () => {
  const { outdir } = await builtEmbed();
  const child = fork(join(import.meta.dirname, "serve-worker.ts"), {
    env: { ...process.env, FLORIN_LOG: "silent" },
  });
  worker = child;
  const channel = createChannel((messages) => child.send(messages));
  child.on("message", (messages) => {
    if (isMessages(messages)) channel.receive(messages);
  });
  const start: StartWorker = {
    config: readConfig({ FLORIN_DATA: directory, PORT: "0", FLORIN_LOG: "silent" }),
    databaseUrl: testDatabase.url,
    ...{ index: 0, count: 2, inboxSecret: null, parts: outdir },
  };
  // The stop arrives directly after the request, long before the server listens.
  channel.request(workerTopics.start, start, null).catch(() => undefined);
  channel.send(workerTopics.stop, null);
  const [code] = await once(child, "exit");
  channel.end();
  assert.equal(code, 0);

  const entries = await database.read<{ action: string }>`
    select action from audit_log where action like 'service.%' order by number
  `;
  assert.deepEqual(
    entries.map(({ action }) => action),
    ["service.started", "service.stopped"],
  );
});
