import assert from "node:assert/strict";
import { test } from "node:test";
import { createChannelPair } from "./channel.ts";

test("a process that is starting ignores messages that it does not handle yet, and rejects requests", async () => {
  const [primary, worker] = createChannelPair();
  const received: unknown[] = [];
  primary.send("counts", 1);
  await assert.rejects(primary.request("lease", {}), /topic 'lease' has no handler/);
  worker.handle("counts", (body) => void received.push(body));
  worker.handle("lease", () => "granted");
  primary.send("counts", 2);
  assert.equal(await primary.request("lease", {}), "granted");
  assert.deepEqual(received, [2]);
});
