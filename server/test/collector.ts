import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import protobuf from "protobufjs";

/** A span as an OpenTelemetry collector decodes it. IDs are in hexadecimal digits. */
export type CollectedSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly events: readonly unknown[];
  readonly failed: boolean;
};

/** The response of the collector to an export. `hang`: it never responds. */
type Mode = "accept" | "reject" | "hang";

/** An OpenTelemetry collector that receives traces over OTLP/HTTP. */
export type Collector = {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** All bytes of the exports. */
  readonly bodies: readonly Buffer[];
  mode: Mode;
  close(): Promise<void>;
};

const schema = readFileSync(new URL("trace.proto", import.meta.url), "utf8");
const exportRequest = protobuf
  .parse(schema)
  .root.lookupType("opentelemetry.proto.trace.v1.ExportTraceServiceRequest");

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const bodies: Buffer[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    if (collector.mode === "hang") return;
    if (collector.mode === "reject") return void response.writeHead(400).end();
    assert.equal(`${request.method} ${request.url}`, "POST /v1/traces");
    assert.equal(request.headers["content-type"], "application/x-protobuf");
    bodies.push(body);
    spans.push(...decode(body));
    // An empty message is a response without rejected spans.
    response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    mode: "accept",
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return collector;
}

type Decoded = {
  readonly resourceSpans?: readonly {
    readonly scopeSpans?: readonly { readonly spans?: readonly DecodedSpan[] }[];
  }[];
};

type DecodedSpan = {
  readonly traceId: Buffer;
  readonly spanId: Buffer;
  readonly parentSpanId?: Buffer;
  readonly name: string;
  readonly kind: string;
  readonly attributes?: readonly { readonly key: string; readonly value: object }[];
  readonly links?: readonly { readonly traceId: Buffer; readonly spanId: Buffer }[];
  readonly events?: readonly unknown[];
  readonly status?: { readonly code?: string };
};

function decode(body: Buffer): CollectedSpan[] {
  const decoded = exportRequest.toObject(exportRequest.decode(body), {
    enums: String,
    longs: Number,
  }) as Decoded;
  return (decoded.resourceSpans ?? [])
    .flatMap(({ scopeSpans = [] }) => scopeSpans.flatMap(({ spans = [] }) => spans))
    .map(({ traceId, spanId, parentSpanId, name, kind, status, ...span }) => ({
      traceId: hex(traceId),
      spanId: hex(spanId),
      parentSpanId: parentSpanId && hex(parentSpanId),
      name,
      kind,
      attributes: Object.fromEntries(
        (span.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]),
      ),
      links: (span.links ?? []).map((link) => ({
        traceId: hex(link.traceId),
        spanId: hex(link.spanId),
      })),
      events: span.events ?? [],
      failed: status?.code === "STATUS_CODE_ERROR",
    }));
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
