import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from "node:net";
import { after, test } from "node:test";
import { testCertificates } from "../../test/certificates.ts";
import { slowed } from "../../test/slowness.ts";
import { systemTimers } from "../core/timers.ts";
import { type AcquirerClientOptions, createAcquirerClient } from "./acquirer-client.ts";
import type { HttpResponse } from "./outcome.ts";

const toClose: (() => unknown)[] = [];
after(() => Promise.all(toClose.map((close) => close())));

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  server.on("secureConnection", (socket) => sockets.add(socket));
  toClose.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function clientOf(origin: string, options: Partial<AcquirerClientOptions> = {}) {
  const client = createAcquirerClient({ origin, timers: systemTimers, ...options });
  toClose.push(() => client.close());
  return client;
}

/** Starts an acquirer that handles its requests with `handle`. Returns a client for it. */
async function acquirer(handle: RequestListener, timeouts: AcquirerClientOptions["timeouts"] = {}) {
  const port = await listen(createHttpServer(handle));
  return clientOf(`http://127.0.0.1:${port}`, { timeouts });
}

/** Starts an acquirer that writes these bytes for any request and then closes the connection. */
async function rawAcquirer(bytes: string) {
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(bytes));
  });
  return clientOf(`http://127.0.0.1:${await listen(server)}`);
}

const payment = {
  method: "POST",
  path: "/v72/payments",
  headers: { "content-type": "application/json", "x-api-key": "secret" },
  body: '{"reference":"ch_1"}',
} as const;

test("returns the status, headers and body of a response", async () => {
  const client = await acquirer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    response.writeHead(422, { "Transient-Error": "true" });
    response.end(JSON.stringify([request.method, request.url, request.headers["x-api-key"], body]));
  });
  const result = await client.send(payment);
  assert(result.kind === "response");
  assert.equal(result.response.status, 422);
  assert.equal(result.response.headers["transient-error"], "true");
  assert.deepEqual(JSON.parse(result.response.body), [
    "POST",
    "/v72/payments",
    "secret",
    payment.body,
  ]);
});

test("a redirect is returned and not followed", async () => {
  let requests = 0;
  const client = await acquirer((_, response) => {
    requests += 1;
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  const result = await client.send(payment);
  assert(result.kind === "response" && result.response.status === 307);
  assert.equal(requests, 1);
});

test("a request is not sent if the connection is refused or the host is unknown", async () => {
  const server = createTcpServer();
  const port = await listen(server);
  server.close();
  await once(server, "close");
  for (const origin of [`http://127.0.0.1:${port}`, "https://acquirer.invalid"]) {
    assert.equal((await clientOf(origin).send(payment)).kind, "not_sent", origin);
  }
});

test("a request is not sent to a server whose certificate is untrusted or has another name", async () => {
  let requests = 0;
  const { certificate, key, authority } = testCertificates;
  const server = createHttpsServer({ cert: certificate, key }, (_, response) => {
    requests += 1;
    response.end("{}");
  });
  const port = await listen(server);
  const trusting = { certificateAuthority: authority };
  for (const client of [
    clientOf(`https://localhost:${port}`),
    clientOf(`https://127.0.0.1:${port}`, trusting),
  ]) {
    assert.equal((await client.send(payment)).kind, "not_sent");
  }
  assert.equal(requests, 0);
  const accepted = await clientOf(`https://localhost:${port}`, trusting).send(payment);
  assert.equal(accepted.kind, "response");
});

test("a request is not sent to a server that does not complete the TLS handshake", async () => {
  const received: Buffer[] = [];
  const server = createTcpServer((socket) =>
    socket.on("data", (bytes: Buffer) => received.push(bytes)),
  );
  const timeouts = { connectMs: 300 };
  const client = clientOf(`https://localhost:${await listen(server)}`, { timeouts });
  assert.equal((await client.send(payment)).kind, "not_sent");
  assert(!Buffer.concat(received).includes("ch_1"));
});

for (const [what, bytes, why] of [
  ["a connection that is closed before the response", "", "connection_lost"],
  ["a response that is cut off in its headers", "HTTP/1.1 200 OK\r\nContent-Le", "connection_lost"],
  [
    "a response that is cut off in its body",
    'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"resultCode":"Auth',
    "connection_lost",
  ],
  ["a response that is not HTTP", "OK approved\r\n\r\n", "invalid_response"],
] as const) {
  test(`${what} leaves the outcome unknown`, async () => {
    const result = await (await rawAcquirer(bytes)).send(payment);
    assert(result.kind === "unknown", result.kind);
    assert.equal(result.why, why, result.problem);
  });
}

test("a response larger than a megabyte leaves the outcome unknown", async () => {
  const client = await acquirer((_, response) => response.end("x".repeat(2 * 1024 * 1024)));
  const result = await client.send(payment);
  assert(result.kind === "unknown" && result.why === "invalid_response");
});

test("a late response leaves the outcome unknown and is reported when it arrives", async () => {
  const answer = Promise.withResolvers<void>();
  const client = await acquirer(
    async (_, response) => {
      await answer.promise;
      response.end('{"resultCode":"Authorised"}');
    },
    { responseMs: 100, lateResponseMs: slowed(30_000) },
  );
  const late = Promise.withResolvers<HttpResponse>();
  const result = await client.send({ ...payment, onLateResponse: late.resolve });
  assert(result.kind === "unknown" && result.why === "timeout");
  answer.resolve();
  assert.equal((await late.promise).body, '{"resultCode":"Authorised"}');
});

test("a connection without a response is closed after the late-response timeout", async () => {
  const closed = Promise.withResolvers<void>();
  const client = await acquirer((request) => request.socket.once("close", () => closed.resolve()), {
    responseMs: 50,
    lateResponseMs: 200,
  });
  const result = await client.send({ ...payment, onLateResponse: () => assert.fail() });
  assert.equal(result.kind, "unknown");
  await closed.promise;
});

test("rejects an address without TLS, except a loopback address", () => {
  for (const origin of ["http://checkout-test.adyen.com", "ftp://127.0.0.1"]) {
    assert.throws(() => clientOf(origin), /must begin with https/);
  }
});
