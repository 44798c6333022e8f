import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../core/clock.ts";
import { createServer } from "./server.ts";

/** Returns the client address that a server behind a proxy on this machine sees. */
async function addressSeen(trustedProxies: readonly string[], forwarded: string): Promise<string> {
  const http = createServer({
    clock: systemClock,
    trustedProxies,
    baseUrl: () => "http://127.0.0.1",
    log: { fault: (_request, error) => assert.fail(error as Error) },
  });
  http.get("/address", async (request) => request.ip);
  const url = await http.listen({ host: "127.0.0.1", port: 0 });
  try {
    const response = await fetch(`${url}/address`, { headers: { "x-forwarded-for": forwarded } });
    return await response.text();
  } finally {
    await http.close();
  }
}

test("an untrusted proxy cannot set the client address", async () => {
  assert.equal(await addressSeen([], "203.0.113.9"), "127.0.0.1");
  assert.equal(await addressSeen(["10.0.0.0/8"], "203.0.113.9"), "127.0.0.1");
});

test("behind trusted proxies the client address is the last untrusted one", async () => {
  const trusted = ["127.0.0.0/8", "10.0.0.0/8"];
  assert.equal(await addressSeen(trusted, "203.0.113.9"), "203.0.113.9");
  assert.equal(await addressSeen(trusted, "203.0.113.9, 10.1.2.3"), "203.0.113.9");
  assert.equal(await addressSeen(trusted, "6.6.6.6, 203.0.113.9"), "203.0.113.9");
});
