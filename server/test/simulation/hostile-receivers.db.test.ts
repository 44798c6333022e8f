import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { test } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { gzipSync } from "node:zlib";
import {
  closing,
  createDeliveryFixture,
  fine,
  receiver,
} from "../../src/webhooks/delivery/delivery.fixture.ts";
import { selfSigned } from "../../src/webhooks/delivery/self-signed.fixture.ts";
import { slowed } from "../slowness.ts";
import { dose } from "../test-size.ts";

/** The delivery timeout. It is 20 s in production, and less in the short dose. */
const deadlineMs = dose("deadline-ms", { short: slowed(1_000), long: 20_000 });

/** Writes endlessly, as fast as the client reads. */
function writeEndlessly(socket: Socket, head: string, chunk: Buffer | string): void {
  socket.write(head);
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on("drain", more);
  more();
}

const writeAtIntervals = (socket: Socket, head: string, text: string, everyMs = 100): void => {
  socket.write(head);
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.on("close", () => clearInterval(timer));
};

const ok = "HTTP/1.1 200 OK\r\n";
const bomb = gzipSync(Buffer.alloc(20_000_000));

/**
 * For each hostile receiver: a function that writes to the socket, and the possible error codes in the delivery log.
 */
const hostile: Record<string, readonly [(socket: Socket) => void, readonly string[]]> = {
  "a body of a gigabyte": [
    (socket) =>
      writeEndlessly(socket, `${ok}Content-Length: 1073741824\r\n\r\n`, Buffer.alloc(65_536, "x")),
    ["body_too_large"],
  ],
  "endless chunks": [
    (socket) =>
      writeEndlessly(
        socket,
        `${ok}Transfer-Encoding: chunked\r\n\r\n`,
        `4000\r\n${"x".repeat(16_384)}\r\n`,
      ),
    ["body_too_large"],
  ],
  "endless headers": [
    (socket) => writeEndlessly(socket, ok, `X-Filler: ${"x".repeat(1_000)}\r\n`),
    ["headers_too_large"],
  ],
  "one endless header": [
    (socket) => writeEndlessly(socket, `${ok}X-Filler: `, "x".repeat(8_192)),
    ["headers_too_large"],
  ],
  "an endless status line": [
    (socket) => writeEndlessly(socket, "HTTP/1.1 200 ", "x".repeat(8_192)),
    ["body_too_large", "headers_too_large", "too_slow"],
  ],
  "an endless chunk extension": [
    (socket) =>
      writeEndlessly(socket, `${ok}Transfer-Encoding: chunked\r\n\r\n5;`, "x".repeat(8_192)),
    [],
  ],
  "endless interim responses": [
    (socket) => writeEndlessly(socket, "", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"),
    ["not_http"],
  ],
  "a protocol switch": [
    (socket) =>
      void socket.write(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
      ),
    [],
  ],
  nothing: [() => undefined, ["too_slow"]],
  "a byte at long intervals": [
    (socket) => writeAtIntervals(socket, `${ok}Content-Length: 100000\r\n\r\n`, "."),
    ["too_slow"],
  ],
  "a header at long intervals": [
    (socket) => writeAtIntervals(socket, ok, "X-A: b\r\n"),
    ["too_slow"],
  ],
  "an immediate reset": [(socket) => void socket.resetAndDestroy(), ["connection_lost"]],
  "a reset during the body": [
    (socket) => {
      socket.write(`${ok}Content-Length: 10\r\n\r\n12345`);
      setTimeout(() => socket.resetAndDestroy(), 20);
    },
    ["connection_lost"],
  ],
  "a truncated body": [
    (socket) => void socket.end(`${ok}Content-Length: 10\r\n\r\n12345`),
    ["connection_lost", "not_http"],
  ],
  "two Content-Length headers": [
    (socket) => void socket.end(`${ok}Content-Length: 1\r\nContent-Length: 2\r\n\r\n12`),
    ["not_http"],
  ],
  "an invalid Content-Length": [
    (socket) => void socket.end(`${ok}Content-Length: -5\r\n\r\n`),
    ["not_http"],
  ],
  "zeros instead of HTTP": [
    (socket) => writeEndlessly(socket, "", Buffer.alloc(65_536)),
    ["not_http"],
  ],
  "a redirect to itself": [
    (socket) =>
      void socket.end(
        "HTTP/1.1 307 Go\r\nLocation: /\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
      ),
    ["redirect"],
  ],
};

async function listenWith(onSocket: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).once("data", () => onSocket(socket));
    socket.resume();
  });
  return portOf(server, sockets);
}

async function portOf(server: Server, sockets: Set<Socket>): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as { port: number }).port;
}

async function deliverTo(url: string) {
  const fixture = await createDeliveryFixture();
  await fixture.endpoint(url);
  await fixture.happen();
  const worker = fixture.start({ deadlineMs });
  const delivery = await fixture.delivery(1, deadlineMs + 10_000);
  await worker.stop();
  // Allows 500 ms for the work before and after the attempt.
  const entry = delivery.log[0];
  assert.ok(entry && entry.duration_ms < deadlineMs + slowed(500), `${entry?.duration_ms} ms`);
  return { ...delivery, entry };
}

for (const [what, [onSocket, classes]] of Object.entries(hostile)) {
  test(`a delivery to a receiver that returns ${what} fails before the timeout and affects no other delivery`, async () => {
    const before = process.memoryUsage.rss();
    const port = await listenWith(onSocket);
    const { status, entry } = await deliverTo(`http://127.0.0.1:${port}/`);
    assert.equal(status, "pending");
    if (classes.length > 0)
      assert.ok(classes.includes(entry?.failure?.code ?? ""), JSON.stringify(entry));
    const grownMb = (process.memoryUsage.rss() - before) / 1e6;
    assert.ok(grownMb < 100, `${grownMb} MB memory growth`);
    const shop = await receiver(fine);
    assert.equal((await deliverTo(shop.url)).status, "succeeded");
  });
}

test("a gzip bomb is not decompressed, and the delivery succeeds and stores only the compressed size", async () => {
  const shop = await receiver((response) => {
    response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
  });
  const { status, entry } = await deliverTo(shop.url);
  assert.equal(status, "succeeded");
  assert.equal(entry?.response, `(${bomb.length} bytes, content-encoding gzip)`);
});

test("rejects a self-signed certificate, a stalled TLS handshake and a server without TLS", async () => {
  const sockets = new Set<Socket>();
  const tls = createTlsServer(selfSigned, (socket) => socket.on("error", () => undefined));
  tls.on("connection", (socket: Socket) => sockets.add(socket));
  tls.on("tlsClientError", () => undefined);
  const ports = {
    selfSigned: await portOf(tls, sockets),
    silent: await listenWith(() => undefined),
    plain: await listenWith((socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")),
  };
  const failureAt = async (port: number) =>
    (await deliverTo(`https://127.0.0.1:${port}/`)).entry?.failure?.code ?? "";
  assert.equal(await failureAt(ports.selfSigned), "tls_failed");
  assert.equal(await failureAt(ports.plain), "tls_failed");
  assert.ok(["too_slow", "connect_timeout"].includes(await failureAt(ports.silent)));
});
