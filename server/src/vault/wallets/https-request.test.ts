import assert from "node:assert/strict";
import { createServer } from "node:net";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startNameServer } from "../../../test/dns-server.ts";
import { createAuthority } from "../../../test/wallet-certificates.ts";
import { startWalletServer } from "../../../test/wallet-server.ts";
import { systemTimers } from "../../core/timers.ts";
import { createSendHttps, type ExchangeFailed } from "./https-request.ts";

/** Sends a request to the URL. Returns the code of its failure. */
async function failureOf(nameServer: string, url: string, timeoutMs: number): Promise<string> {
  const send = createSendHttps(systemTimers, null, [nameServer]);
  const request = { url: new URL(url), method: "GET", timeoutMs, maxBodyBytes: 1_024 } as const;
  return send(request).then(
    () => "no failure",
    (error: ExchangeFailed) => error.message,
  );
}

test("a request contains the query of the URL", async () => {
  const server = await startWalletServer(createAuthority("Simulated Apple certificate authority"));
  after(() => server.close());
  const url = new URL("https://payments.developers.google.com/keys.json?version=2");
  const send = createSendHttps(systemTimers, server.replacement);
  await send({ url, method: "GET", timeoutMs: 5_000, maxBodyBytes: 1_024 });
  assert.deepEqual(server.googlePaths, ["/keys.json?version=2"]);
});

test("a name is resolved with DNS queries, and one without an address is a failure", async () => {
  const nameServer = await startNameServer((name) => (name === "known.test" ? ["127.0.0.1"] : []));
  after(() => nameServer.close());
  const connections: string[] = [];
  const server = createServer((socket) => {
    connections.push(`${socket.remoteAddress}`);
    socket.end("no TLS");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => server.close());
  const { port } = server.address() as { port: number };
  assert.notEqual(
    await failureOf(nameServer.address, `https://known.test:${port}/`, 5_000),
    "no failure",
  );
  assert.deepEqual(connections, ["127.0.0.1"]);
  assert.equal(await failureOf(nameServer.address, "https://unknown.test/", 5_000), "ENOTFOUND");
});

test("the timeout ends the DNS queries, which are not repeated afterwards", async () => {
  const nameServer = await startNameServer(() => null);
  after(() => nameServer.close());
  assert.equal(await failureOf(nameServer.address, "https://silent.test/", 200), "TIMEOUT");
  const count = nameServer.queries();
  assert.ok(count > 0);
  // This wait is longer than the resolver's timeout, after which a query without a response would be repeated.
  await sleep(1_500);
  assert.equal(nameServer.queries(), count);
});
