import assert from "node:assert/strict";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Database } from "../database/database.ts";
import type { Caller } from "../http/caller.ts";
import type { Route } from "../http/route.ts";
import { newId } from "../primitives/ids.ts";
import { openRequestLog } from "./gather.ts";

const maxHoldMs = 100;
const count = 100;
/** Runs of digits with separators take longest to mask. */
const body = Buffer.from(`{"a":"${"4 2 ".repeat(4_000)}"}`);

async function flushOf(log: ReturnType<typeof openRequestLog>): Promise<number> {
  const now = new Date();
  for (let n = 0; n < count; n++) {
    const owner = { account: newId("acct", now), livemode: false };
    const actor = { kind: "api_key", id: newId("key", now), name: "A key" };
    const request = {
      id: newId("req", now),
      method: "POST",
      url: "/",
      headers: {},
      params: {},
      body,
    };
    log.note(
      { method: "POST", path: "/charges", permission: "payments:write" } as Route,
      { owner, actor } as unknown as Caller,
      request as unknown as FastifyRequest,
      { statusCode: 400, elapsedTime: 1, sentBody: "{}" } as FastifyReply,
    );
  }
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  // The first tick is recorded as no delay: it is what later ones are measured from.
  await sleep(20);
  await log.flush();
  await sleep(10);
  delay.disable();
  return delay.max / 1e6;
}

test("hundreds of hostile bodies of one second are masked without holding the event loop for 100 ms", async () => {
  let written = 0;
  const database = {
    transaction: async () => {
      written += 1;
    },
  } as unknown as Database;
  const log = openRequestLog(database);
  // On a busy machine the loop is also late because the process does not run, but not each time.
  const holds: number[] = [];
  while (holds.length < 5 && (holds.length === 0 || Math.min(...holds) > maxHoldMs)) {
    holds.push(await flushOf(log));
  }
  assert.ok(Math.min(...holds) <= maxHoldMs, `${holds} ms`);
  assert.equal(written, holds.length);
});
