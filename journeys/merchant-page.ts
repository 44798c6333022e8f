import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";

/**
 * Starts a server with a merchant's page, and returns its URL. The port of its origin differs from the port of the
 * service's origin.
 */
export async function openMerchantPage(
  body: string | (() => string),
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...headers });
    response.end(
      `<!doctype html><html lang="en"><title>A shop</title><body><h1>A shop</h1><div id="pay"></div>${typeof body === "string" ? body : body()}`,
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
