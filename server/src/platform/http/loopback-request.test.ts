import assert from "node:assert/strict";
import { after, test } from "node:test";
import fastify from "fastify";
import { sendRawBytes } from "../../../test/send-raw-bytes.ts";
import { isFromThisMachine } from "./loopback-request.ts";

const app = fastify({ trustProxy: true });
app.get("/", (request) => isFromThisMachine(request));
after(() => app.close());

async function isLocal(remoteAddress: string, headers: Readonly<Record<string, string>>) {
  const { body } = await app.inject({ url: "/", remoteAddress, headers });
  return body === "true";
}

test("a request is local only if its socket is local and it has no forwarding headers", async () => {
  const host = "localhost:4242";
  for (const peer of ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"]) {
    assert.equal(await isLocal(peer, { host }), true, peer);
    assert.equal(await isLocal(peer, { host, "x-forwarded-for": "127.0.0.1" }), false, peer);
    assert.equal(await isLocal(peer, { host, via: "1.1 proxy" }), false, peer);
  }
  for (const peer of ["203.0.113.9", "10.0.0.1", "172.17.0.1", "fe80::1", "::ffff:10.0.0.1"]) {
    assert.equal(await isLocal(peer, { host }), false, peer);
    assert.equal(await isLocal(peer, { host, "x-forwarded-for": "127.0.0.1" }), false, peer);
  }
});

test("a request through a proxy is not local", async () => {
  const host = "localhost:4242";
  for (const name of ["x-forwarded-server", "x-client-ip", "cf-ray", "cdn-loop", "x-envoy-peer"]) {
    assert.equal(await isLocal("127.0.0.1", { host, [name]: "a" }), false, name);
  }
  const address = await app.listen({ host: "127.0.0.1", port: 0 });
  // Sends the request that an nginx with default settings sends to its upstream.
  const response = await sendRawBytes(
    address,
    "GET / HTTP/1.0\r\nHost: 127.0.0.1:4242\r\nConnection: close\r\n\r\n",
  );
  assert.match(response, /false$/);
});

test("a request from a page of another site is not local", async () => {
  const host = "localhost:4242";
  for (const site of ["cross-site", "same-site"]) {
    assert.equal(await isLocal("127.0.0.1", { host, "sec-fetch-site": site }), false, site);
  }
  assert.equal(await isLocal("127.0.0.1", { host, "sec-fetch-site": "same-origin" }), true);
});

test("a host name that only resolves to loopback is not local", async () => {
  for (const host of ["rebound.example", "localhost.example:4242", "pay.example.com", "a b"]) {
    assert.equal(await isLocal("127.0.0.1", { host }), false, host);
  }
  for (const host of ["localhost", "florin.localhost:4242", "127.0.0.1:4242", "[::1]:4242"]) {
    assert.equal(await isLocal("127.0.0.1", { host }), true, host);
  }
});
