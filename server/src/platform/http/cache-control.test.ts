import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, test } from "node:test";
import { systemClock } from "../../core/clock.ts";
import { ok } from "./route.ts";
import { sendResponse, sendStreamHead } from "./send-response.ts";
import { createServer } from "./server.ts";

const http = createServer({
  clock: systemClock,
  baseUrl: () => "http://127.0.0.1",
  log: { fault: () => undefined },
});
http.get("/things/:id", (_request, reply) => sendResponse(reply, ok({})));
http.get("/moved", (_request, reply) => reply.redirect("/things/1"));
http.get("/stream", (_request, reply) => {
  reply.hijack();
  sendStreamHead(reply, { "content-type": "text/event-stream" });
  reply.raw.end();
});
const cacheable = "public, max-age=60";
http.get("/file", (_request, reply) => reply.header("cache-control", cacheable).send("text"));
http.get("/unreadable-file", async (_request, reply) => {
  reply.header("cache-control", cacheable);
  throw new Error("The file cannot be read");
});
const url = await http.listen({ host: "127.0.0.1", port: 0 });
after(() => http.close());

/** Returns the `Cache-Control` headers of the response to these bytes. */
async function cacheControlOf(text: string): Promise<string[]> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.end(text);
  let received = "";
  for await (const bytes of socket) received += bytes;
  assert.match(received, /^HTTP\/1\.1 /);
  return [...received.matchAll(/^cache-control: (.*)\r$/gim)].map(([, value]) => value as string);
}

const requestOf = (path: string, headers = "") =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}\r\n`;

test("no cache may store a response whose route does not allow it", async () => {
  for (const request of [
    requestOf("/things/1"),
    requestOf("/things/"),
    requestOf("/things/%zz"),
    requestOf("/moved"),
    requestOf("/nothing"),
    requestOf("/nothing", "Accept: text/html\r\n"),
    requestOf("/stream"),
    requestOf("/unreadable-file"),
    requestOf("/unreadable-file", "Accept: text/html\r\n"),
    "POST /things/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    "no HTTP at all\r\n\r\n",
  ]) {
    assert.deepEqual(await cacheControlOf(request), ["no-store"], request);
  }
});

test("a route can let caches store its response", async () => {
  assert.deepEqual(await cacheControlOf(requestOf("/file")), [cacheable]);
});
