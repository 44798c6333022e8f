import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, type Socket } from "node:net";
import { after, test } from "node:test";
import fastify from "fastify";
import { acceptUploads, createUploadReader } from "./read-upload.ts";

const limits = { mediaTypes: ["application/pdf"], maxBytes: 1024 };
const app = fastify();
const readUpload = createUploadReader();
acceptUploads(app, limits.mediaTypes);
app.post<{ Params: { caller: string } }>("/:caller", async (request) => {
  const { sha256, content } = await readUpload(request, request.params.caller, limits);
  return { sha256, size: content.length };
});
app.setErrorHandler((error, _request, reply) =>
  reply
    .code((error as { status?: number }).status ?? 500)
    .send({ code: (error as { code?: string }).code }),
);
await app.listen({ host: "127.0.0.1", port: 0 });
const { port } = app.server.address() as AddressInfo;
const sockets: Socket[] = [];
after(async () => {
  for (const socket of sockets) socket.destroy();
  await app.close();
});

/** Begins an upload that stops half-way, and waits until the server is receiving it. */
async function stall(caller: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  const received = once(app.server, "request");
  const head = [`POST /${caller} HTTP/1.1`, "Host: a", "Content-Type: application/pdf"];
  socket.write(`${head.join("\r\n")}\r\nContent-Length: 1000\r\n\r\nhalf`);
  await received;
  return socket;
}

async function upload(caller: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/${caller}`, {
    method: "POST",
    headers: { "content-type": "application/pdf" },
    body: "whole",
  });
  await response.text();
  return response.status;
}

test("eight merchants with stalled uploads do not block another merchant", async () => {
  for (let merchant = 0; merchant < 8; merchant++) {
    for (let file = 0; file < 4; file++) await stall(`slow-${merchant}`);
  }
  assert.equal(await upload("slow-0"), 429, "a merchant can have four uploads");
  const statuses = await Promise.all(
    Array.from({ length: 8 }, (_, number) => upload(`other-${number}`)),
  );
  assert.deepEqual(statuses, Array(8).fill(200));
  const rejected = sockets.filter((socket) =>
    String(socket.read() ?? "").startsWith("HTTP/1.1 429"),
  );
  assert.ok(rejected.length > 0, "a canceled upload receives an error");
});

test("a file that is too large is rejected at the first byte beyond the limit, even without Content-Length", async () => {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  const firstBytes = once(socket, "data");
  const head = ["POST /large HTTP/1.1", "Host: a", "Content-Type: application/pdf"];
  socket.write(
    `${head.join("\r\n")}\r\nTransfer-Encoding: chunked\r\n\r\n800\r\n${"x".repeat(1025)}`,
  );
  assert.match(String(await firstBytes), /^HTTP\/1\.1 413 .*body_too_large/s);
});

test("a file in chunks of one byte has the hash of its bytes", async () => {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  const head = ["POST /small HTTP/1.1", "Host: a", "Content-Type: application/pdf"];
  const response = once(socket, "data");
  socket.write(
    `${head.join("\r\n")}\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(1_000)}0\r\n\r\n`,
  );
  const [, body = ""] = String((await response)[0]).split("\r\n\r\n");
  assert.deepEqual(JSON.parse(body), { sha256: hash("sha256", "x".repeat(1_000)), size: 1_000 });
});
