import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { builtEmbed } from "@florin/embed/test/built-embed.ts";
import { createTestDatabase, type TestDatabase } from "../database.ts";
import { slowed } from "../slowness.ts";
import { dose } from "../test-size.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

let testDatabase: TestDatabase;
let dataDirectory: string;
const servers: ServerProcess[] = [];

/** Starts two server processes with one database and the same keys. */
before(async () => {
  [testDatabase, dataDirectory] = await Promise.all([
    createTestDatabase(),
    mkdtemp(join(tmpdir(), "florin-revoked-")),
  ]);
  const { outdir: embedDirectory } = await builtEmbed();
  const options = {
    databaseUrl: testDatabase.url,
    dataDirectory,
    embedDirectory,
    shopUrl: "http://127.0.0.1:9",
  };
  // Start sequentially, because the first server creates the demo's merchant and person.
  servers.push(await startServer(options));
  servers.push(await startServer(options));
});

after(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await testDatabase?.drop();
  await rm(dataDirectory, { recursive: true, force: true });
});

async function request(
  server: ServerProcess,
  method: "GET" | "POST",
  path: string,
  headers: Record<string, string>,
  body?: object,
) {
  const response = await server.http.request({
    method,
    path,
    headers: { ...headers, ...(body && { "content-type": "application/json" }) },
    body: body ? JSON.stringify(body) : null,
  });
  return {
    status: response.statusCode,
    headers: response.headers,
    // biome-ignore lint/suspicious/noExplicitAny: the assertions of the test check the fields
    body: (await response.body.json()) as any,
  };
}

const rounds = dose("rounds", { short: 1, long: 50 });

/** Signs in on the server, and returns the headers of a person who manages the keys of the demo's merchant. */
async function signIn(server: ServerProcess): Promise<Record<string, string>> {
  const { account_id, dashboard_sign_in } = JSON.parse(
    await readFile(join(dataDirectory, "demo.json"), "utf8"),
  );
  const sameOrigin = { "sec-fetch-site": "same-origin" };
  const signedIn = await request(server, "POST", "/auth/v1/sign_in", sameOrigin, dashboard_sign_in);
  assert.equal(signedIn.status, 200, JSON.stringify(signedIn.body));
  const cookie = String(signedIn.headers["set-cookie"]).split(";")[0] as string;
  return { ...sameOrigin, cookie, "florin-account": account_id, "florin-mode": "test" };
}

/**
 * Creates a key on one server. Returns a function that revokes the key, and a function that uses the key on another
 * server.
 */
async function createKey(
  one: ServerProcess,
  other: ServerProcess,
  headers: Record<string, string>,
) {
  const created = await request(one, "POST", "/api/v1/api_keys", headers, { name: "Short-lived" });
  const authorization = `Bearer ${created.body.secret}`;
  return {
    status: async () => (await request(other, "GET", "/api/v1/account", { authorization })).status,
    async revoke() {
      const path = `/api/v1/api_keys/${created.body.id}/revoke`;
      assert.equal((await request(one, "POST", path, headers, {})).status, 200);
    },
  };
}

test("a key revoked on one server is rejected by the other within one second", async () => {
  const [one, other] = servers as [ServerProcess, ServerProcess];
  const headers = await signIn(one);
  for (let round = 0; round < rounds; round++) {
    const { status, revoke } = await createKey(one, other, headers);
    assert.equal(await status(), 200);
    await revoke();
    const revokedAt = performance.now();
    let rejectedAfter = 0;
    while ((await status()) !== 401) {
      rejectedAfter = performance.now() - revokedAt;
      assert.ok(rejectedAfter < slowed(1_000), `still accepted after ${rejectedAfter} ms`);
    }
  }
});

test("a server that was suspended rejects a key that was revoked in the meantime", async () => {
  const [one, other] = servers as [ServerProcess, ServerProcess];
  const { status, revoke } = await createKey(one, other, await signIn(one));
  assert.equal(await status(), 200);
  const suspended = other.suspend(2_500);
  await revoke();
  await sleep(1_500);
  // The request waits in the socket until the server resumes.
  const first = status();
  await suspended;
  assert.equal(await first, 401);
});
