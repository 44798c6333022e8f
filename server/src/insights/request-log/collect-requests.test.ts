import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { maxBlockMs, measureBlockMs } from "../../../test/event-loop-block.ts";
import { newId } from "../../core/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Route } from "../../platform/http/route.ts";
import { createRequestLog, type RequestLog } from "./collect-requests.ts";

const count = 100;
/** Runs of digits with separators are the slowest input of the masking. */
const body = Buffer.from(`{"a":"${"4 2 ".repeat(4_000)}"}`);

function note(log: RequestLog): void {
  const now = new Date();
  const scope = { account: newId("acct", now), livemode: false };
  const actor = { kind: "api_key", id: newId("key", now), name: "A key" };
  const request = {
    id: newId("req", now),
    method: "POST",
    url: "/",
    ip: "127.0.0.1",
    headers: {},
    params: {},
    body,
  };
  log.note(
    { method: "POST", path: "/charges", permission: "payments:write" } as Route,
    { scope, actor } as unknown as Caller,
    request as unknown as FastifyRequest,
    { statusCode: 400, elapsedTime: 1, sentBody: "{}" } as FastifyReply,
  );
}

test("hundreds of hostile bodies are masked without blocking the event loop for 100 ms", async () => {
  let written = 0;
  const database = {
    autocommit: async () => {
      written += 1;
    },
  } as unknown as Database;
  const log = createRequestLog(database);
  for (let n = 0; n < count; n++) note(log);
  const blockedMs = await measureBlockMs(() => log.flush());
  assert.ok(blockedMs <= maxBlockMs, `${blockedMs} ms`);
  assert.equal(written, 1);
});

test("a flush waits for the flush in progress, even if that flush fails", async () => {
  const insert = Promise.withResolvers<void>();
  const database = { autocommit: () => insert.promise } as unknown as Database;
  const log = createRequestLog(database);
  note(log);
  const first = log.flush();
  let flushed = false;
  const second = log.flush().then(() => {
    flushed = true;
  });
  await setImmediate();
  assert.equal(flushed, false);
  insert.reject(new Error("the insert failed"));
  await assert.rejects(first, /the insert failed/);
  await second;
});
