import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serveBench } from "./child.ts";

/**
 * The state of the receiver. The receiver is a webhook endpoint that accepts every request immediately and counts each
 * event once.
 */
export type Received = { readonly events: number; readonly lastReceivedAt: number };

const events = new Set<string>();
let lastReceivedAt = 0;

const server = createServer((request, response) => {
  request.resume().once("end", () => {
    events.add(request.headers["webhook-id"] as string);
    lastReceivedAt = Date.now();
    response.writeHead(200).end();
  });
});
server.keepAliveTimeout = 60_000;

server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  serveBench(
    { url: `http://127.0.0.1:${port}/webhooks` },
    async () => void server.close(),
    (): Received => ({ events: events.size, lastReceivedAt }),
  );
});
