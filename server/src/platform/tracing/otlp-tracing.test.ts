import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startCollector } from "../../../test/collector.ts";
import { until } from "../../../test/until.ts";
import { systemClock } from "../../core/clock.ts";
import { newId, type RequestId } from "../../core/ids.ts";
import { maxQueuedSpans, startTracing } from "./otlp-tracing.ts";
import type { TracedRequest } from "./tracing.ts";

const collector = await startCollector();
after(() => collector.close());

const startOne = (ratio: number) => {
  const counts = { exported: 0, failed: 0, dropped: 0 };
  const tracing = startTracing({
    url: collector.url,
    ratio,
    version: "0.0.0",
    clock: systemClock,
    count(result, spans) {
      counts[result] += spans;
    },
    onFailure: () => {},
  });
  return { tracing, counts };
};

const requestOf = (id: RequestId): TracedRequest => ({
  id,
  method: "POST",
  route: "/api/v1/charges",
  // The client requests sampling.
  traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
});

const requestIds = (count: number): RequestId[] =>
  Array.from({ length: count }, () => newId("req", new Date()));

test("the request ID alone decides whether a request is sampled, even in the process that delivers its webhook", async () => {
  const [serving, delivering] = [startOne(0.25), startOne(0.25)];
  const ids = requestIds(2_000);
  const sampled = ids.filter((id) => {
    const span = serving.tracing.startRequest(requestOf(id));
    if (span) serving.tracing.endRequest(span, 201);
    return span !== null;
  });
  assert(sampled.length > 300 && sampled.length < 700, `${sampled.length}`);
  for (const request of ids) {
    delivering.tracing.recordDelivery({
      request,
      event: newId("evt", new Date()),
      delivery: newId("whd", new Date()),
      attempt: 1,
      durationMs: 5,
      status: 200,
      failure: null,
    });
  }
  await Promise.all([serving.tracing.close(), delivering.tracing.close()]);
  const requestsOf = (name: string) =>
    collector.spans
      .filter((span) => span.name === name)
      .map(({ attributes }) => attributes["florin.request_id"])
      .toSorted();
  // `close` does not wait for a slow collector.
  const exported = await until(
    async () => serving.counts.exported + delivering.counts.exported,
    (count) => count >= 2 * sampled.length,
  );
  assert.equal(exported, 2 * sampled.length);
  assert.deepEqual(requestsOf("POST /api/v1/charges"), sampled.toSorted());
  assert.deepEqual(requestsOf("deliver webhook"), sampled.toSorted());
});

test("with the ratio 0, no request is sampled", async () => {
  const { tracing } = startOne(0);
  for (const id of requestIds(100)) assert.equal(tracing.startRequest(requestOf(id)), null);
  await tracing.close();
});

test("spans are dropped and counted when the collector does not respond and the queue is full", async () => {
  collector.mode = "hang";
  const { tracing, counts } = startOne(1);
  for (const id of requestIds(5_000)) {
    const span = tracing.startRequest(requestOf(id));
    if (span) tracing.endRequest(span, 201);
  }
  // One batch of 512 spans has been sent and waits for the response.
  assert.deepEqual(counts, { exported: 0, failed: 0, dropped: 5_000 - maxQueuedSpans - 512 });
  await tracing.close();
});
