import assert from "node:assert/strict";
import { test } from "node:test";
import { openMetricsContentType, prometheusContentType } from "prom-client";
import { mergeMetrics } from "./merged-metrics.ts";
import { createMetrics } from "./process-metrics.ts";

const request = { method: "POST", route: "/api/v1/charges", status: 201 };
const [older, newer] = ["a".repeat(32), "b".repeat(32)];

test("the metrics of processes are added, and a bucket has the newest exemplar of all of them", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
  const [first, second] = [createMetrics({ tracing: true }), createMetrics({ tracing: true })];
  second.responded(request, 0.02, older);
  first.responded(request, 0.2, older);
  t.mock.timers.tick(1_000);
  first.responded(request, 0.02, newer);
  first.responded(request, 0.02);
  second.responded(request, 0.2, newer);
  const read = () =>
    Promise.all([first, second].map(({ registry }) => registry.getMetricsAsJSON()));
  // An earlier response in the OpenMetrics format must not change the names in a later one in the Prometheus format.
  await mergeMetrics(await read(), openMetricsContentType).metrics();
  const plain = await mergeMetrics(await read(), prometheusContentType).metrics();
  const text = await mergeMetrics(await read(), openMetricsContentType).metrics();

  const buckets = (body: string) =>
    [
      ...body.matchAll(
        /^florin_http_request_duration_seconds_bucket\{le="(0.0?25|0.25)".*?\} (.*)$/gm,
      ),
    ].map(([, bound, rest]) => `${bound}: ${rest}`);
  assert.deepEqual(buckets(plain), ["0.025: 3", "0.25: 5"]);
  assert.deepEqual(buckets(text), [
    `0.025: 3 # {trace_id="${newer}"} 0.02 1001`,
    `0.25: 5 # {trace_id="${newer}"} 0.2 1001`,
  ]);
  for (const body of [plain, text]) {
    assert.match(body, /^florin_http_requests_total\{method="POST",.*\} 5$/m);
  }
  assert.match(plain, /^# TYPE florin_http_requests_total counter$/m);
  assert.match(text, /^# TYPE florin_http_requests counter$/m);
});

test("without tracing, histograms have no exemplars", async () => {
  const { registry, responded } = createMetrics();
  responded(request, 0.02, newer);
  const text = await mergeMetrics(
    [await registry.getMetricsAsJSON()],
    openMetricsContentType,
  ).metrics();
  assert.match(text, /^florin_http_request_duration_seconds_count\{.*\} 1$/m);
  assert(!text.includes("trace_id"));
});
