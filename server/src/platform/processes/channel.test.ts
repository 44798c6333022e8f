import assert from "node:assert/strict";
import { test } from "node:test";
import { createChannel, createChannelPair } from "./channel.ts";

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

test("a request to a process that does not respond fails after five seconds", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const suspended = createChannel(() => {});
  const waiting = suspended.request("tokens: lease", null);
  t.mock.timers.tick(5_000);
  await assert.rejects(waiting, /did not respond to 'tokens: lease' within 5000 ms/);
});

test("a response after the time limit is ignored, and later requests get their own response", async () => {
  const [one, other] = createChannelPair();
  const delays = [50, 0];
  other.handle(
    "echo",
    (body) => new Promise((resolve) => setTimeout(resolve, delays.shift(), body)),
  );
  await assert.rejects(one.request("echo", 1, 10), /within 10 ms/);
  await new Promise((resolve) => setTimeout(resolve, 80));
  assert.equal(await one.request("echo", 2), 2);
});
