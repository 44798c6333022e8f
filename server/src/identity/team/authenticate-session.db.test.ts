import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Role } from "@florin/contract/roles.ts";
import type { FastifyRequest } from "fastify";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { ApiError } from "../../core/api-error.ts";
import { type AccountId, newId, uuidOf } from "../../core/ids.ts";
import { createChangeFeed } from "../../platform/changes/change-feed.ts";
import { connectDatabase, type Database } from "../../platform/database/database.ts";
import { insertMember } from "../accounts/member.sql.ts";
import { insertPerson } from "../people/person.sql.ts";
import type { SignedIn } from "../people/session.ts";
import { createSessionAuthentication } from "./authenticate-session.ts";

const now = new Date("2026-11-21T12:00:00Z");
const publicUrl = "https://pay.example";

let testDatabase: TestDatabase;
let database: Database;
let account: AccountId;
before(async () => {
  testDatabase = await createTestDatabase();
  database = connectDatabase({ url: testDatabase.url, poolSize: 2, onIdleError: () => {} });
  account = await createAccount();
});
after(async () => {
  await database.close();
  await testDatabase.drop();
});

async function createAccount(): Promise<AccountId> {
  const id = newId("acct", now);
  await database.transaction(
    (tx) => tx`insert into accounts (id, name) values (${uuidOf(id)}, 'Shop')`,
  );
  return id;
}

async function signIn(role: Role | null, secondFactor = true): Promise<SignedIn> {
  const person = newId("per", now);
  if (role) {
    const email = `${person}@example.com`;
    await database.transaction((tx) =>
      insertPerson(tx, { id: person, email, name: "Ada", passwordHash: "", operator: false }),
    );
    const member = { id: newId("mem", now), account, person, role };
    await database.transaction((tx) => insertMember(tx, member));
  }
  return {
    session: newId("ses", now),
    person,
    email: "ada@example.com",
    name: "Ada",
    secondFactor,
    tokenHash: Buffer.alloc(32),
    authenticatedAt: now,
    operator: false,
    ip: "127.0.0.1",
  };
}

/** Returns the authenticated caller, or the error's code. */
async function authenticate(
  signedIn: SignedIn | null,
  headers: Record<string, string> = {},
  method = "GET",
) {
  const admit = createSessionAuthentication({
    database,
    changes: createChangeFeed(database),
    readSession: async () => signedIn,
  });
  const host = new URL(publicUrl).host;
  const sent = { host, "florin-account": account, "florin-mode": "test", ...headers };
  const request = { method, headers: sent } as unknown as FastifyRequest;
  return admit(request).catch((error: unknown) => {
    assert.ok(error instanceof ApiError);
    return error.code;
  });
}

test("a member accesses their account with the permissions of their role", async () => {
  const ada = await signIn("support");
  const caller = await authenticate(ada, { "florin-mode": "live" });
  assert.ok(typeof caller === "object");
  assert.deepEqual(caller.scope, { account, livemode: true });
  assert.deepEqual(caller.actor, {
    kind: "person",
    id: ada.person,
    session: ada.session,
    name: "ada@example.com",
  });
  assert.equal(caller.permissions.has("refunds:write"), true);
  assert.equal(caller.permissions.has("keys:read"), false);
});

test("a request without a session is rejected", async () => {
  assert.equal(await authenticate(null), "sign_in_required");
});

test("another merchant's account is reported as missing", async () => {
  const ada = await signIn("owner");
  const others = await createAccount();
  for (const text of [others, newId("acct", now), "acct_1", ""]) {
    assert.equal(await authenticate(ada, { "florin-account": text }), "resource_missing");
  }
  assert.equal(await authenticate(await signIn(null)), "resource_missing");
});

test("live mode is forbidden for a session without a second factor", async () => {
  const ada = await signIn("owner", false);
  assert.equal(await authenticate(ada, { "florin-mode": "live" }), "second_factor_required");
  assert.equal(typeof (await authenticate(ada)), "object");
});

test("the mode is required and must be test or live", async () => {
  const ada = await signIn("owner");
  assert.equal(await authenticate(ada, { "florin-mode": "Live" }), "parameter_invalid");
});

for (const method of ["POST", "DELETE"]) {
  test(`a ${method} is accepted only from the dashboard's own origin`, async () => {
    const ada = await signIn("owner");
    const rejected = [
      {},
      { "sec-fetch-site": "cross-site" },
      // A shop on another subdomain of the same site.
      { "sec-fetch-site": "same-site", origin: "https://shop.example" },
      { "sec-fetch-site": "none" },
      { "sec-fetch-site": "cross-site", origin: publicUrl },
      { origin: "https://evil.example" },
      { origin: "null" },
    ];
    for (const headers of rejected) {
      assert.equal(
        await authenticate(ada, headers, method),
        "cross_site_request",
        JSON.stringify(headers),
      );
    }
    for (const headers of [{ "sec-fetch-site": "same-origin" }, { origin: publicUrl }]) {
      assert.equal(typeof (await authenticate(ada, headers, method)), "object");
    }
  });
}
