import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Exchange } from "./official-document.fixture.ts";

export type Proxy = {
  readonly url: string;
  /** All requests and responses that have passed the proxy. */
  readonly exchanges: readonly Exchange[];
  close(): void;
};

/** Starts a proxy that forwards requests to the fake and records them with their responses. */
export async function startProxy(target: string): Promise<Proxy> {
  const exchanges: Exchange[] = [];
  const server = createServer(async (request, response) => {
    const body = await bytesOf(request);
    const { method = "", url = "" } = request;
    const forwarded = await fetch(target + url, {
      method,
      headers: ["authorization", "content-type", "cko-idempotency-key"].flatMap((name) => {
        const value = request.headers[name];
        return typeof value === "string" ? [[name, value] as [string, string]] : [];
      }),
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    const text = await forwarded.text();
    exchanges.push({
      method,
      path: url.split("?")[0] ?? "",
      hasQuery: url.includes("?"),
      requestBody: parsed(body.toString("utf8"), request.headers["content-type"]),
      status: forwarded.status,
      responseBody: parsed(text, forwarded.headers.get("content-type")),
    });
    const type = forwarded.headers.get("content-type");
    response.writeHead(forwarded.status, type === null ? {} : { "content-type": type });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function parsed(text: string, type: string | null | undefined): unknown {
  return type?.startsWith("application/json") && text !== "" ? JSON.parse(text) : null;
}
