import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, test } from "node:test";
import { systemClock } from "../../core/clock.ts";
import { ok } from "./route.ts";
import { sendResponse, sendStreamHead } from "./send-response.ts";
import { createServer } from "./server.ts";

async function open(baseUrl: string): Promise<string> {
  const http = createServer({
    clock: systemClock,
    baseUrl: () => baseUrl,
    log: { fault: () => undefined },
  });
  http.get("/things/:id", (_request, reply) => sendResponse(reply, ok({})));
  http.get("/stream", (_request, reply) => {
    reply.hijack();
    sendStreamHead(reply, { "content-type": "text/event-stream" });
    reply.raw.end();
  });
  after(() => http.close());
  return http.listen({ host: "127.0.0.1", port: 0 });
}

/** Returns everything that the server sends in response to these bytes. */
async function send(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.end(text);
  let received = "";
  for await (const bytes of socket) received += bytes;
  return received;
}

const requestOf = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
const requests = [
  requestOf("/things/1"),
  requestOf("/things/"),
  requestOf("/nothing"),
  requestOf("/things/%zz"),
  requestOf("/stream"),
  "POST /things/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
  "no HTTP at all\r\n\r\n",
];

test("every response has Strict-Transport-Security if the public URL uses https", async () => {
  const url = await open("https://pay.example");
  for (const request of requests) {
    const received = await send(url, request);
    assert.equal(
      received.match(/^strict-transport-security: max-age=31536000\r$/gim)?.length,
      1,
      received,
    );
  }
});

test("no response has Strict-Transport-Security if the public URL uses plain http", async () => {
  const url = await open("http://127.0.0.1:8080");
  for (const request of requests) {
    const received = await send(url, request);
    assert.match(received, /^HTTP\/1\.1 /);
    assert.doesNotMatch(received, /strict-transport-security/i);
  }
});
