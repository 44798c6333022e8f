import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { after, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { FastifyInstance } from "fastify";
import { slowed } from "../../../test/slowness.ts";
import { until } from "../../../test/until.ts";
import { systemClock } from "../../core/clock.ts";
import { createBodyCollector } from "./collect-body.ts";
import { createServer } from "./server.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Returns the memory of objects and buffers that are still referenced. */
function usedBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const maxBytes = 200_000;

async function startServer(): Promise<FastifyInstance> {
  const app = createServer({
    clock: systemClock,
    baseUrl: () => "http://127.0.0.1",
    log: { fault: (_, error) => assert.fail(String(error)) },
  });
  app.addContentTypeParser("text/plain", createBodyCollector(maxBytes));
  app.post("/length", async ({ body }) => String((body as Buffer).length));
  // Responds when the test emits the event.
  app.get("/open", async () => {
    await once(app.server, "respond");
    return "responded";
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  after(() => {
    // Without this call, `close` would wait for the incomplete requests.
    app.server.closeAllConnections();
    return app.close();
  });
  return app;
}

const portOf = (app: FastifyInstance) => (app.server.address() as AddressInfo).port;

/** Sends the head of a request and the beginning of its body, and returns the socket. */
function begin(app: FastifyInstance, head: readonly string[], body: string): Socket {
  const socket = connect(portOf(app), "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(`${[...head, "Host: a"].join("\r\n")}\r\n\r\n${body}`);
  return socket;
}

const beginText = (app: FastifyInstance, length: number, body: string) =>
  begin(
    app,
    ["POST /length HTTP/1.1", "Content-Type: text/plain", `Content-Length: ${length}`],
    body,
  );

/** Waits for the next event of the emitter, for a limited time. */
async function next(emitter: NodeJS.EventEmitter, event: string) {
  const [value] = await once(emitter, event, { signal: AbortSignal.timeout(slowed(10_000)) });
  return value;
}

/** Returns a function that waits until the server has read all bytes that these clients have sent. */
function waitUntilRead(app: FastifyInstance): (clients: readonly Socket[]) => Promise<unknown> {
  const connections: Socket[] = [];
  app.server.on("connection", (socket) => connections.push(socket));
  return (clients) =>
    until(
      async () => connections.reduce((sum, { bytesRead }) => sum + bytesRead, 0),
      (bytes) => bytes === clients.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
    );
}

test("the oldest of the bodies that are being received is rejected when all of them exceed the limit", async () => {
  const app = await startServer();
  const areRead = waitUntilRead(app);
  const part = "x".repeat(maxBytes / 4);
  const sockets: Socket[] = [];
  for (let at = 0; at < 4; at++) {
    sockets.push(beginText(app, part.length + 1, part));
    await areRead(sockets);
  }
  const [oldest, ...others] = sockets as [Socket, ...Socket[]];
  const rejection = next(oldest, "data");
  others.push(beginText(app, part.length + 1, "x"));
  // The error of a request that exceeds the time limit has another text.
  assert.match(String(await rejection), /^HTTP\/1\.1 400 .*"The body did not arrive in time\./s);
  for (const [at, socket] of others.entries()) {
    const accepted = next(socket, "data");
    socket.write(at < 3 ? "x" : part);
    assert.match(String(await accepted), /^HTTP\/1\.1 200 .*50001$/s);
  }
});

test("bodies that were received, rejected or interrupted no longer count towards the limit", async () => {
  const app = await startServer();
  const areRead = waitUntilRead(app);
  const part = "x".repeat(maxBytes / 4);
  const waiting = beginText(app, 2, "x");
  await areRead([waiting]);
  for (let round = 0; round < 5; round++) {
    const complete = beginText(app, part.length, part);
    await next(complete, "data");
    const interrupted = next(app.server, "request");
    const broken = beginText(app, part.length + 1, part);
    const request = await interrupted;
    const closed = new Promise((resolve) => request.once("close", resolve));
    broken.destroy();
    await closed;
    const tooLong = begin(
      app,
      ["POST /length HTTP/1.1", "Content-Type: text/plain", "Transfer-Encoding: chunked"],
      `${(70_000).toString(16)}\r\n${"x".repeat(70_000)}`,
    );
    assert.match(String(await next(tooLong, "data")), /^HTTP\/1\.1 413 /);
  }
  const accepted = next(waiting, "data");
  waiting.write("x");
  assert.match(String(await accepted), /^HTTP\/1\.1 200 .*2$/s);
});

test("an incomplete body in chunks of one byte needs little more memory than its bytes", async () => {
  const app = await startServer();
  const areRead = waitUntilRead(app);
  const body = "1\r\nx\r\n".repeat(40_000);
  const before = usedBytes();
  const socket = begin(
    app,
    ["POST /length HTTP/1.1", "Content-Type: application/json", "Transfer-Encoding: chunked"],
    body,
  );
  await areRead([socket]);
  // Kept separately, the chunks would take about 10 MB.
  const grown = usedBytes() - before;
  assert.ok(grown < 3_000_000, `${grown}`);
});

test("the body of a GET request is discarded while its response is open", async () => {
  const app = await startServer();
  const areRead = waitUntilRead(app);
  const requested = next(app.server, "request");
  const body = "x".repeat(1_000_000);
  const socket = begin(app, ["GET /open HTTP/1.1", `Content-Length: ${body.length}`], body);
  const request = await requested;
  // If the server did not discard the body, it would stop reading before the end of the body.
  await areRead([socket]);
  assert.equal(request.readableLength, 0);
  const response = next(socket, "data");
  app.server.emit("respond");
  assert.match(String(await response), /^HTTP\/1\.1 200 /);
});
