import assert from "node:assert/strict";
import { test } from "node:test";
import type { Span } from "@opentelemetry/api";
import fastify from "fastify";
import { activeSpan } from "../tracing/active-span.ts";
import type { Tracing } from "../tracing/tracing.ts";
import { traceRequests } from "./trace-requests.ts";

test("a request that is not sampled does not continue in the span of another request", async () => {
  const app = fastify();
  traceRequests(app, { startRequest: () => null } as unknown as Tracing);
  app.get("/", async () => ({ traced: activeSpan.getStore() !== undefined }));
  const response = await activeSpan.run({} as Span, () => app.inject("/"));
  assert.deepEqual(response.json(), { traced: false });
});
