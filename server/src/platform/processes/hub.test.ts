import assert from "node:assert/strict";
import { test } from "node:test";
import { createChannelPair } from "./channel.ts";
import { createHub } from "./hub.ts";

test("a worker that is still starting ignores broadcasts, and responds to no request", async () => {
  const hub = createHub();
  const [ofStarting] = createChannelPair();
  const [ofRunning, running] = createChannelPair();
  const received: unknown[] = [];
  running.handle("counts", (body) => received.push(body));
  running.handle("read", () => "figures");
  for (const worker of [ofStarting, ofRunning]) hub.add(worker);

  hub.broadcast("counts", [1], null);
  const responses = await hub.requestAll("read", null, 10_000);
  // Messages arrive in the order in which they were sent, so the broadcast has arrived before the response.
  assert.deepEqual(received, [[1]]);
  assert.deepEqual(
    responses.map(({ body }) => body),
    ["figures"],
  );
});

test("a request to a worker that exits is rejected, and a broadcast skips its sender", async () => {
  const hub = createHub();
  const [ofSender, sender] = createChannelPair();
  const [ofOther, other] = createChannelPair();
  for (const worker of [ofSender, ofOther]) hub.add(worker);
  const received: string[] = [];
  sender.handle("counts", () => received.push("sender"));
  other.handle("counts", () => received.push("other"));
  hub.handle("counts", (body, worker) => hub.broadcast("counts", body, worker));
  for (const worker of [sender, other]) worker.handle("read", () => "figures");
  await sender.request("counts", []);
  await hub.requestAll("read", null, 10_000);
  assert.deepEqual(received, ["other"]);
  other.handle("slow", () => new Promise(() => undefined));
  const response = ofOther.request("slow", null);
  ofOther.end();
  await assert.rejects(response, /the other process has exited/);
});
