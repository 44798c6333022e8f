import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Received = { method: string; url: string; headers: IncomingHttpHeaders; body: string };
export type Reply = (response: ServerResponse) => void;

/** A real HTTP server for the tests. The server returns scripted replies, one per request, and records the requests. */
export async function scriptedService(...replies: Reply[]) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method = "", url = "", headers } = request;
    received.push({ method, url, headers, body });
    const reply = replies[received.length - 1];
    if (reply) reply(response);
    else json(500, { error: { type: "api_error", code: "script_over", message: "" } })(response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function json(status: number, body: object, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
}

export function error(status: number, body: object, headers: Record<string, string> = {}): Reply {
  return json(status, { error: body }, headers);
}

/** Closes the connection after half a response, as a failing proxy does. */
export const destroyConnection: Reply = (response) => {
  response.writeHead(201, { "content-length": "1000" });
  response.write('{"id":"ch_');
  setImmediate(() => response.destroy());
};

export const silence: Reply = () => {};
