import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../core/clock.ts";
import { sendResponse } from "./send-response.ts";
import { createServer } from "./server.ts";

const faults: [request: string, error: unknown][] = [];
let pieces: () => AsyncGenerator<string>;
const http = createServer({
  clock: systemClock,
  baseUrl: () => "http://127.0.0.1",
  log: { fault: (request, error) => void faults.push([request, error]) },
});
http.get("/download", async (_request, reply) =>
  sendResponse(reply, { status: 200, body: "head\r\n", stream: pieces() }),
);
const url = await http.listen({ host: "127.0.0.1", port: 0 });
after(() => http.close());

const lost = new Error("the database went away");

test("a download that fails midway is truncated, and the log names its request and cause", async () => {
  pieces = async function* () {
    yield "first\r\n";
    await sleep(50);
    throw lost;
  };
  const response = await fetch(`${url}/download`);
  await assert.rejects(response.text());
  assert.deepEqual(faults.splice(0), [[response.headers.get("request-id"), lost]]);
});

for (const [what, end] of [
  ["", async () => undefined],
  [
    ", even if the read in progress fails",
    async () => {
      throw lost;
    },
  ],
] as const) {
  test(`a client that disconnects during a download is not logged as an error${what}`, async () => {
    const disconnected = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    pieces = async function* () {
      try {
        yield "first\r\n";
        await disconnected.promise;
        await end();
        yield "never read";
      } finally {
        ended.resolve();
      }
    };
    const isClosed = once(http.server, "request").then(([, response]) => once(response, "close"));
    const { hostname, port } = new URL(url);
    const caller = connect(Number(port), hostname);
    caller.write("GET /download HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(caller, "data");
    // Resets the connection. After a half-close, the server would continue the download, because the caller may still
    // read.
    caller.resetAndDestroy();
    await isClosed;
    disconnected.resolve();
    await ended.promise;
    await sleep(20);
    assert.deepEqual(faults, []);
  });
}
