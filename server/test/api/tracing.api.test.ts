import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import { uuidOf } from "../../src/core/ids.ts";
import { createGauges } from "../../src/insights/monitoring/database-gauges.ts";
import { createMetrics } from "../../src/insights/monitoring/process-metrics.ts";
import { serveMetrics } from "../../src/insights/monitoring/serve-metrics.ts";
import { startTracing } from "../../src/platform/tracing/otlp-tracing.ts";
import { whileDatabaseIsClosed } from "../close-database.ts";
import { type CollectedSpan, startCollector } from "../collector.ts";
import { startShop, until } from "../shop.ts";

const collector = await startCollector();
const meters = createMetrics({ tracing: true });
const failures: string[] = [];
const tracing = startTracing({
  url: collector.url,
  ratio: 1,
  version: "0.0.0",
  clock: systemClock,
  count: meters.countSpans,
  onFailure: (reason) => failures.push(reason),
});
const shop = await startShop({ meters, tracing });
const metrics = serveMetrics({
  configuredHost: "127.0.0.1",
  read: createGauges({
    registry: meters.registry,
    database: shop.app.database,
    clock: shop.clock,
    sendsMail: false,
    onError: (error) => assert.fail(String(error)),
  }),
});
const receiver = createServer((_request, response) => response.end());
receiver.listen(0, "127.0.0.1");
await once(receiver, "listening");
const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/the-merchants-path`;
after(async () => {
  await metrics.close();
  await shop.close();
  await tracing.close();
  await collector.close();
  receiver.close();
});

const merchantTexts = {
  description: "A rare description",
  metadata: { "a rare key": "a rare value" },
  client_reference_id: "rare-reference",
};

const charge = (params = {}, headers = {}) =>
  shop.send("POST", "/api/v1/charges", {
    headers: { authorization: `Bearer ${shop.merchant.key}`, ...headers },
    body: {
      amount: 1_999,
      currency: "usd",
      payment_method_id: "pm_card_visa",
      ...merchantTexts,
      ...params,
    },
  });

const traceIdOf = (requestId: unknown): string =>
  uuidOf(requestId as `req_${string}`).replaceAll("-", "");

/** Returns the spans of a trace when it has spans with these names. */
async function traceWith(names: readonly string[], traceId: string): Promise<CollectedSpan[]> {
  return until(
    async () => collector.spans.filter((span) => span.traceId === traceId),
    (spans) => names.every((name) => spans.some((span) => span.name === name)),
  );
}

const collect = async (accept = "text/plain"): Promise<string> =>
  (await metrics.inject({ url: "/metrics", headers: { accept } })).body;

const openMetrics = "application/openmetrics-text;version=1.0.0,text/plain;q=0.5";

test("a charge is one trace, from the request over its batches and the acquirer to the webhook", async () => {
  await shop.post("/webhook_endpoints", { url: hook });
  const { status, headers } = await charge();
  assert.equal(status, 201);
  const requestId = headers.get("request-id");
  const traceId = traceIdOf(requestId);
  // The webhook can be delivered before the response is sent, and its span is then exported first.
  const spans = await traceWith(["deliver webhook", "POST /api/v1/charges"], traceId);

  const [request] = spans.filter(({ name }) => name === "POST /api/v1/charges");
  assert(request);
  assert.equal(request.parentSpanId, undefined);
  assert.equal(request.kind, "SPAN_KIND_SERVER");
  assert.deepEqual(request.attributes, {
    "http.request.method": "POST",
    "http.route": "/api/v1/charges",
    "http.response.status_code": 201,
    "florin.request_id": requestId,
  });
  const parents = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  const below = spans
    .filter((span) => span !== request)
    .map(({ name, parentSpanId = "" }) => `${parents.get(parentSpanId)} > ${name}`);
  assert.deepEqual(below.toSorted(), [
    "POST /api/v1/charges > acquirer: authorize",
    "POST /api/v1/charges > deliver webhook",
    "POST /api/v1/charges > finalize charges",
    "POST /api/v1/charges > insert charges",
    "finalize charges > batch: finalize charges",
    "insert charges > batch: insert charges",
  ]);
  const [authorized] = spans.filter(({ name }) => name === "acquirer: authorize");
  assert.deepEqual(authorized?.attributes, {
    "florin.acquirer": "simulator",
    "florin.acquirer.operation": "authorize",
    "florin.acquirer.result": "approved",
  });
  const [delivered] = spans.filter(({ name }) => name === "deliver webhook");
  assert.equal(delivered?.attributes["http.response.status_code"], 200);
  assert.equal(delivered?.attributes["florin.delivery.attempt"], 1);
});

test("the batch of several charges is in one of their traces, and the others link to it", async () => {
  const sent = Array.from({ length: 12 }, () => charge());
  const traceIds = (await Promise.all(sent)).map(({ headers }) =>
    traceIdOf(headers.get("request-id")),
  );
  for (const traceId of traceIds) await traceWith(["POST /api/v1/charges"], traceId);
  const ofThese = collector.spans.filter(({ traceId }) => traceIds.includes(traceId));
  const batches = ofThese.filter(({ name }) => name === "batch: insert charges");
  const rows = batches.map(({ attributes }) => Number(attributes["db.operation.batch.size"]));
  assert.equal(
    rows.reduce((sum, count) => sum + count, 0),
    12,
  );
  const items = ofThese.filter(({ name }) => name === "insert charges");
  assert.equal(items.length, 12);
  for (const { spanId, links } of items) {
    const inTrace = batches.some(({ parentSpanId }) => parentSpanId === spanId);
    const linked = batches.some((batch) => links.some((link) => link.spanId === batch.spanId));
    assert.equal(Number(inTrace) + Number(linked), 1);
  }
  assert(
    rows.some((count) => count > 1),
    `${rows}`,
  );
});

test("the trace of an unknown outcome has an error, and the trace of a declined charge has none", async () => {
  const declined = await charge({ payment_method_id: "pm_card_visa_chargeDeclined" });
  const unknown = await charge({ amount: 9_004_003 });
  const authorizations = await Promise.all(
    [declined, unknown].map(async ({ headers }) => {
      const spans = await traceWith(["POST /api/v1/charges"], traceIdOf(headers.get("request-id")));
      return spans.find(({ name }) => name === "acquirer: authorize");
    }),
  );
  assert.deepEqual(
    authorizations.map((span) => [span?.failed, span?.attributes["florin.acquirer.result"]]),
    [
      [false, "declined"],
      [true, "unknown_invalid_response"],
    ],
  );
});

test("the trace of a client is linked, and is not the parent", async () => {
  const client = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
  const traceparent = `00-${client.traceId}-${client.spanId}-01`;
  const { headers } = await charge({}, { traceparent });
  const [request] = (
    await traceWith(["POST /api/v1/charges"], traceIdOf(headers.get("request-id")))
  ).filter(({ name }) => name === "POST /api/v1/charges");
  assert.deepEqual(request?.links, [client]);
  assert.equal(request?.parentSpanId, undefined);

  const malformed = await charge({}, { traceparent: "00-card-4242424242424242-01" });
  const spans = await traceWith(
    ["POST /api/v1/charges"],
    traceIdOf(malformed.headers.get("request-id")),
  );
  assert(spans.every(({ links }) => links.every(({ traceId }) => traceId !== client.traceId)));
});

test("spans have only the listed attributes, and no text of a merchant or a customer", async () => {
  const { headers } = await shop.send("POST", "/api/v1/charges", {
    headers: { authorization: `Bearer ${shop.merchant.key}` },
    body: { amount: 1, currency: "made-up-4242424242424242" },
  });
  await traceWith(["POST /api/v1/charges"], traceIdOf(headers.get("request-id")));
  const patterns: Readonly<Record<string, RegExp>> = {
    "http.request.method": /^[A-Z]+$/,
    "http.route": /^(\/[a-z0-9_.:-]*)*(\/\*)?$/,
    "http.response.status_code": /^\d{3}$/,
    "error.type": /^[\w.]+$/,
    "db.system.name": /^postgresql$/,
    "db.operation.batch.size": /^\d+$/,
    "florin.request_id": /^req_[0-9a-z]{26}$/,
    "florin.batch": /^[a-z ]+$/,
    "florin.acquirer": /^[a-z]+$/,
    "florin.acquirer.operation": /^[a-z_]+$/,
    "florin.acquirer.result": /^[a-z_]+$/,
    "florin.event_id": /^evt_[0-9a-z]{26}$/,
    "florin.delivery_id": /^whd_[0-9a-z]{26}$/,
    "florin.delivery.attempt": /^\d+$/,
  };
  assert(collector.spans.length > 50);
  for (const { name, attributes, events } of collector.spans) {
    assert.deepEqual(events, [], name);
    for (const [key, value] of Object.entries(attributes)) {
      assert.match(String(value), patterns[key] ?? /^not in the list$/, `${name}: ${key}`);
    }
  }
  const exported = Buffer.concat(collector.bodies).toString("latin1");
  assert(exported.includes("/api/v1/charges"));
  for (const text of [
    shop.merchant.key,
    shop.merchant.account,
    "4242",
    "Fieldware",
    "rare",
    "made-up",
    "the-merchants-path",
  ]) {
    assert(!exported.includes(text), text);
  }
});

test("a bucket of a histogram has the trace of a request as exemplar, in the OpenMetrics format only", async () => {
  const { headers } = await charge();
  const traceId = traceIdOf(headers.get("request-id"));
  // The metrics count a request only after its response.
  const text = await until(
    () => collect(openMetrics),
    (body) => body.includes(`{trace_id="${traceId}"}`),
  );
  assert(text.endsWith("\n# EOF\n"));
  assert.match(
    text,
    /^florin_http_request_duration_seconds_bucket\{le="[\d.]+",method="POST",route="\/api\/v1\/charges"\} \d+ # \{trace_id="[0-9a-f]{32}"\} [\d.e-]+ [\d.]+$/m,
  );
  for (const name of ["acquirer_request", "batch"]) {
    assert.match(text, new RegExp(`^florin_${name}_duration_seconds_bucket.* # \\{trace_id=`, "m"));
  }
  const traceIds = new Set(collector.spans.map((span) => span.traceId));
  const exemplars = [...text.matchAll(/# \{trace_id="(\w+)"\}/g)].map(([, id]) => id as string);
  await until(
    async () => new Set(collector.spans.map((span) => span.traceId)),
    (known) => exemplars.every((id) => known.has(id)),
  );
  assert(traceIds.size > 0);

  // A client that requests the text format gets the same series without exemplars.
  const plain = await collect();
  assert.doesNotMatch(plain, /trace_id|# EOF/);
  const seriesOf = (body: string) =>
    [...body.matchAll(/^(florin_[a-z_]+(?:\{[^}]*\})?) /gm)].map(([, series]) => series);
  assert.deepEqual(seriesOf(plain), seriesOf(text));
  assert.match(plain, /^florin_http_requests_total\{/m);
});

test("the log line of a failed request has its trace", async () => {
  let requestId: string | null = null;
  await whileDatabaseIsClosed(shop.settings.DATABASE_URL, async () => {
    const { status, headers } = await charge();
    assert(status >= 500);
    requestId = headers.get("request-id");
  });
  const line = shop.log.find(({ request }) => request === requestId);
  assert.equal(line?.trace_id, traceIdOf(requestId));
  const spans = await traceWith(["POST /api/v1/charges"], String(line?.trace_id));
  assert(spans.some(({ name, failed }) => name === "POST /api/v1/charges" && failed));
});

test("charges succeed while the collector rejects spans, does not respond or is down", async () => {
  collector.mode = "reject";
  assert.equal((await charge()).status, 201);
  const failed = () =>
    collect().then((text) =>
      Number(/^florin_trace_spans_total\{result="failed"\} (\d+)$/m.exec(text)?.[1]),
    );
  await until(failed, (count) => count > 0);
  assert.deepEqual(failures, ["Bad Request"]);
  collector.mode = "hang";
  assert.equal((await charge()).status, 201);
  await collector.close();
  assert.equal((await charge()).status, 201);
});
