import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import { type PersonId, uuidOf } from "../../src/core/ids.ts";
import { lockAccount } from "../../src/identity/accounts/account.sql.ts";
import { browserAddress } from "../../src/identity/people/browser-address.ts";
import type { Tx } from "../../src/platform/database/sql.ts";
import { addAuthenticatorApp } from "../authenticator-app.ts";
import { createDevice } from "../device.ts";
import { tokenMailedTo } from "../mailbox.ts";
import { createPerson } from "../person.ts";
import { queueBehind } from "../queue-behind.ts";
import { errorOf, startShop } from "../shop.ts";
import { minute } from "../test-clock.ts";

// The credentials or the membership of a person are withdrawn while a request that relies on them is in progress and
// already authenticated.
const shop = await startShop({ workers: false, databasePool: 8 });
after(() => shop.close());
const { database } = shop.app;

function post(path: string, body?: unknown) {
  const headers = { "sec-fetch-site": "same-origin" };
  return shop.send("POST", `/auth/v1${path}`, { body, headers });
}

const lockPerson = (person: PersonId) => (tx: Tx) =>
  tx`select 1 from people where id = ${uuidOf(person)} for update`;

const sessionsOf = async (person: PersonId) =>
  (await database.read`select 1 from sessions where person_id = ${uuidOf(person)}`).length;

test("401: a sign-in with the old password begins no session after a password reset", async () => {
  const { id, email, password } = await createPerson(shop);
  await post("/reset", { email });
  const token = await tokenMailedTo(shop, email);
  const [reset, signedIn] = await queueBehind(database, {
    lock: lockPerson(id),
    requests: [
      () => post("/reset/complete", { token, password: "seven quiet lighthouses 7" }),
      () => post("/sign_in", { email, password }),
    ],
  });
  assert.equal(reset?.status, 200);
  assert(signedIn);
  assert.deepEqual(errorOf(signedIn), [401, "authentication_error", "sign_in_failed"]);
  assert.deepEqual(signedIn.headers.getSetCookie(), []);
  assert.equal(await sessionsOf(id), 0);
});

test("401: a sign-in with a second factor begins no session after an operator has removed the factor", async () => {
  const person = await createPerson(shop);
  const app = await addAuthenticatorApp(shop, person);
  const operator = await createPerson(shop, {
    account: shop.otherMerchant.account,
    operator: true,
    secondFactor: true,
  });
  shop.clock.advance(minute);
  const { id, email, password } = person;
  const path = `/operator/v1/accounts/${shop.merchant.account}/team/${id}/reset_second_factor`;
  const [reset, signedIn] = await queueBehind(database, {
    lock: lockPerson(id),
    requests: [
      () => operator.send("POST", path, { reason: "Verified by phone." }),
      () => post("/sign_in", { email, password, totp_code: app.code() }),
    ],
  });
  assert.equal(reset?.status, 200);
  assert.equal(signedIn?.status, 401);
  assert.equal(await sessionsOf(id), 0);
});

test("401: a sign-in without a second factor begins no session after the person has added one", async () => {
  const person = await createPerson(shop);
  const { id, email, password } = person;
  const { secret } = (await person.send("POST", "/auth/v1/totp")).body;
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const totp_code = totp.generate({ timestamp: shop.clock.now().getTime() });
  const [added, signedIn] = await queueBehind(database, {
    lock: lockPerson(id),
    requests: [
      () => person.send("POST", "/auth/v1/totp/confirm", { totp_code }),
      () => post("/sign_in", { email, password }),
    ],
  });
  assert.equal(added?.status, 201);
  assert.equal(signedIn?.status, 401);
  assert.equal(await sessionsOf(id), 1);
});

/** Creates a person with an authenticator app and a passkey. */
async function createPersonWithTwoFactors() {
  const person = await createPerson(shop);
  const app = await addAuthenticatorApp(shop, person);
  const device = createDevice(browserAddress(shop.url));
  const options = await person.send("POST", "/auth/v1/passkeys/register_options");
  const credential = device.register(options.body.challenge);
  const added = await person.send("POST", "/auth/v1/passkeys", { name: "A key", credential });
  assert.equal(added.status, 201);
  return { person, app, device };
}

test("401: a sign-in with a passkey begins no session after its removal, even if another factor remains", async () => {
  const { person, device } = await createPersonWithTwoFactors();
  const { challenge } = (await post("/passkeys/sign_in_options")).body;
  const [removed, signedIn] = await queueBehind(database, {
    lock: lockPerson(person.id),
    requests: [
      () => person.send("DELETE", `/auth/v1/passkeys/${device.id}`),
      () => post("/passkeys/sign_in", { credential: device.authenticate(challenge) }),
    ],
  });
  assert.equal(removed?.status, 200);
  assert.equal(signedIn?.status, 401);
  assert.equal(await sessionsOf(person.id), 1);
});

test("401: a sign-in with a code begins no session after its app was removed, even if a passkey remains", async () => {
  const { person, app } = await createPersonWithTwoFactors();
  shop.clock.advance(minute);
  const { id, email, password } = person;
  const [removed, signedIn] = await queueBehind(database, {
    lock: lockPerson(id),
    requests: [
      () => person.send("DELETE", "/auth/v1/totp"),
      () => post("/sign_in", { email, password, totp_code: app.code() }),
    ],
  });
  assert.equal(removed?.status, 200);
  assert.equal(signedIn?.status, 401);
  assert.equal(await sessionsOf(id), 1);
});

test("401: a session that a password reset ends at the same moment changes no second factor", async () => {
  const person = await createPerson(shop);
  const { id, email } = person;
  await post("/reset", { email });
  const token = await tokenMailedTo(shop, email);
  await addAuthenticatorApp(shop, person);
  const [reset, removed, renewed] = await queueBehind(database, {
    lock: lockPerson(id),
    requests: [
      () => post("/reset/complete", { token, password: "seven quiet lighthouses 7" }),
      () => person.send("DELETE", "/auth/v1/totp"),
      () => person.send("POST", "/auth/v1/recovery_codes"),
    ],
  });
  assert.equal(reset?.status, 200);
  for (const reply of [removed, renewed]) {
    assert(reply);
    assert.deepEqual(errorOf(reply), [401, "authentication_error", "sign_in_required"]);
  }
  const apps = await database.read`select 1 from totp_secrets where person_id = ${uuidOf(id)}`;
  assert.equal(apps.length, 1);
});

/** Sends the request of a member while the member is removed from the team, or gets another role. */
async function sendWhileRemoved(
  request: (by: Awaited<ReturnType<typeof createPerson>>, other: string) => Promise<unknown>,
  removal: "removed" | "demoted",
  livemode = false,
) {
  const { account } = await shop.createMerchant(livemode ? { status: "approved" } : {});
  // The team of an approved account is changed in live mode, which requires a second factor.
  const owner = await createPerson(shop, { account, secondFactor: true });
  const admin = await createPerson(shop, { account, role: "admin", secondFactor: true });
  const support = await createPerson(shop, { account, role: "support" });
  const members = (await owner.api("GET", "/members")).body.data;
  const idOf = (person: { id: string }) =>
    members.find((member: { person_id: string }) => member.person_id === person.id).id as string;
  const change =
    removal === "removed"
      ? () => owner.api("DELETE", `/members/${idOf(admin)}`, undefined, livemode)
      : () => owner.api("POST", `/members/${idOf(admin)}`, { role: "support" }, livemode);
  const [removed, reply] = await queueBehind(database, {
    // The service waits for this lock before it changes the membership, after both requests are authenticated.
    lock: (tx) => tx`
      select 1 from members
       where account_id = ${uuidOf(account)} and person_id = ${uuidOf(admin.id)} for update
    `,
    requests: [change, () => request(admin, idOf(support))] as readonly (() => Promise<unknown>)[],
  });
  assert.equal((removed as { status: number }).status, 200);
  return { reply: reply as Parameters<typeof errorOf>[0], account, owner };
}

const denied = [403, "invalid_request_error", "permission_denied"];

test("403: a member who is removed at the same moment cannot invite anyone", async () => {
  const { reply, owner } = await sendWhileRemoved(
    (admin) => admin.api("POST", "/invitations", { email: "back@example.com", role: "admin" }),
    "removed",
  );
  assert.deepEqual(errorOf(reply), denied);
  assert.deepEqual((await owner.api("GET", "/invitations")).body.data, []);
});

test("403: a member who is removed at the same moment cannot create a key or a webhook endpoint", async () => {
  const key = await sendWhileRemoved(
    (admin) => admin.api("POST", "/api_keys", { name: "Kept" }),
    "removed",
  );
  assert.deepEqual(errorOf(key.reply), denied);
  const keys = (await key.owner.api("GET", "/api_keys")).body.data;
  assert.ok(keys.every(({ name }: { name: string }) => name !== "Kept"));
  const endpoint = await sendWhileRemoved(
    (admin) => admin.api("POST", "/webhook_endpoints", { url: "https://example.com/hook" }),
    "removed",
  );
  assert.deepEqual(errorOf(endpoint.reply), denied);
});

test("403: a member who is removed at the same moment cannot copy settings to live mode", async () => {
  const blocked = { list: "block", attribute: "email", value: "eve@example.com" };
  const copy = async (admin: Awaited<ReturnType<typeof createPerson>>) => {
    assert.equal((await admin.api("POST", "/list_entries", blocked)).status, 201);
    return admin.api("POST", "/settings_copy", { keys: ["block:email"] }, true);
  };
  const { reply } = await sendWhileRemoved(copy, "removed", true);
  assert.deepEqual(errorOf(reply), denied);
});

test("403: a member whose role is reduced at the same moment cannot change another member's role", async () => {
  const { reply } = await sendWhileRemoved(
    (admin, other) => admin.api("POST", `/members/${other}`, { role: "admin" }),
    "demoted",
  );
  assert.deepEqual(errorOf(reply), denied);
});

test("requests of one person that lock the account do not deadlock", async () => {
  const { account } = await shop.createMerchant();
  const owner = await createPerson(shop, { account });
  const lines = shop.log.length;
  const replies = await queueBehind(database, {
    lock: (tx) => lockAccount(tx, account),
    requests: [
      () => owner.api("POST", "/invitations", { email: "new@example.com", role: "support" }),
      () => owner.api("POST", "/webhook_endpoints", { url: "https://example.com/hook" }),
    ],
  });
  assert.deepEqual(
    replies.map(({ status }) => status),
    [201, 201],
  );
  const warnings = shop.log.slice(lines).filter(({ level }) => Number(level) > 30);
  assert.deepEqual(
    warnings.map(({ msg }) => msg),
    [],
  );
});
