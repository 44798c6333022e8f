import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { newId, uuidOf } from "../../src/core/ids.ts";
import { prepareOperatorSetup } from "../../src/identity/people/operator-setup.ts";
import { addAuthenticatorApp } from "../authenticator-app.ts";
import type { Reply } from "../client.ts";
import { createDevice } from "../device.ts";
import { tokenMailedTo } from "../mailbox.ts";
import { createPerson, type TestPerson } from "../person.ts";
import { inboxSecret, startShop } from "../shop.ts";

/**
 * People are isolated from each other, and the admin console from everyone who is not an operator. The tests are
 * generated from the route table of the running server, and fail if a route under /auth/v1 has no test case.
 */
const shop = await startShop({ workers: false });
after(() => shop.close());
// All attempts come from one network address, and most are meant to fail. Resets the counters of the rate limit.
beforeEach(() => shop.app.database.transaction((tx) => tx`delete from sign_in_attempts`));

const routesBelow = (prefix: string) =>
  shop.app.servedRoutes.filter(
    ({ method, url }) => method !== "HEAD" && url.startsWith(`${prefix}/`),
  );

// Eve's requests target Ada, who has one object of every kind. Eve and Ada belong to different merchants.
const ada = await createPerson(shop);
const adaDevice = createDevice(shop.url.replace("127.0.0.1", "localhost"));
await addPasskey(ada);
const adaApp = await addAuthenticatorApp(shop, ada);
const adaSession: string = (await ada.send("GET", "/auth/v1/me")).body.session.id;
await shop.send("POST", "/auth/v1/reset", {
  body: { email: ada.email },
  headers: { "sec-fetch-site": "same-origin" },
});
const resetToken = await tokenMailedTo(shop, ada.email);
const invited = "ada.second@example.com";
const invitation = await ada.api("POST", "/invitations", { email: invited, role: "support" });
assert.equal(invitation.status, 201, invitation.text);
const invitationToken = await tokenMailedTo(shop, invited);
const setUpToken = await prepareOperatorSetup({ database: shop.app.database, clock: shop.clock });
const adaValues = [ada.id, ada.email, adaSession, adaDevice.id, adaApp.secret];

const eve = await createPerson(shop, {
  account: shop.otherMerchant.account,
  password: "a password of Eve only",
});
const asEve = (method: string, path: string, body?: object) => eve.send(method, path, body);
const asAnonymous = (path: string, body: object) =>
  shop.send("POST", path, { body, headers: { "sec-fetch-site": "same-origin" } });

async function addPasskey(person: TestPerson): Promise<void> {
  const options = await person.send("POST", "/auth/v1/passkeys/register_options");
  const credential = adaDevice.register(options.body.challenge);
  const added = await person.send("POST", "/auth/v1/passkeys", {
    name: "Ada's key",
    credential,
  });
  assert.equal(added.status, 201, added.text);
}

/**
 * Returns Ada's credentials and memberships, and all links and invitations that grant access to her account or team.
 */
async function readAdaState() {
  const id = uuidOf(ada.id);
  const { read } = shop.app.database;
  return [
    await read`select email, name, password_hash, operator from people where id = ${id}`,
    await read`select id, token_hash, second_factor, authenticated_at from sessions where person_id = ${id}`,
    await read`select * from totp_secrets where person_id = ${id}`,
    await read`select hash from recovery_codes where person_id = ${id} order by hash`,
    await read`select credential_id, counter from passkeys where person_id = ${id}`,
    await read`select account_id, role from members where person_id = ${id}`,
    await read`select id, accepted_at, revoked_at from invitations`,
    await read`select hash from links where purpose = 'set_up_operator' or person_id = ${id}`,
  ];
}

function assertRejected(reply: Reply): void {
  assert.ok([400, 401, 403, 404].includes(reply.status), `${reply.status}: ${reply.text}`);
  assert.equal(reply.headers.get("set-cookie"), null);
  assertNothingOfAda(reply);
}

function assertServed(reply: Reply): void {
  assert.ok([200, 201].includes(reply.status), `${reply.status}: ${reply.text}`);
  assertNothingOfAda(reply);
}

function assertNothingOfAda({ text }: Reply): void {
  for (const value of adaValues)
    assert.ok(!text.includes(value), `The response contains ${value}: ${text}`);
}

/** Asserts that two responses differ only in the request's id and in the named objects. */
function assertSameResponse(one: Reply, other: Reply, ...named: readonly string[]): void {
  const contentOf = ({ status, body }: Reply) => {
    const { request_id, ...error } = body.error ?? {};
    let text = JSON.stringify([status, body.error ? error : body]);
    for (const name of named) text = text.replaceAll(name, "…");
    return text;
  };
  assert.equal(contentOf(one), contentOf(other));
}

const newPassword = "another long one, 7 words";
const person = { name: "Eve", password: newPassword };

/** Attempts by Eve or an anonymous caller to access Ada's data, by route. */
const rows: Readonly<Record<string, () => Promise<void>>> = {
  "GET /auth/v1/me": async () => assertServed(await asEve("GET", "/auth/v1/me")),
  "GET /auth/v1/passkeys": async () => assertServed(await asEve("GET", "/auth/v1/passkeys")),
  "GET /auth/v1/sessions": async () => assertServed(await asEve("GET", "/auth/v1/sessions")),
  "POST /auth/v1/session/renew": async () =>
    assertServed(await asEve("POST", "/auth/v1/session/renew")),
  "POST /auth/v1/sign_out": async () => {
    const other = await createPerson(shop, { account: shop.otherMerchant.account });
    assertServed(await other.send("POST", "/auth/v1/sign_out"));
  },
  "POST /auth/v1/sessions/sign_out_others": async () =>
    assertServed(await asEve("POST", "/auth/v1/sessions/sign_out_others")),
  "DELETE /auth/v1/sessions/:id": async () => {
    const nothing = newId("ses", shop.clock.now());
    const foreign = await asEve("DELETE", `/auth/v1/sessions/${adaSession}`);
    assert.equal(foreign.status, 404);
    const missing = await asEve("DELETE", `/auth/v1/sessions/${nothing}`);
    assertSameResponse(foreign, missing, adaSession, nothing);
  },
  "POST /auth/v1/step_up": async () => {
    assertRejected(await asEve("POST", "/auth/v1/step_up", { password: ada.password }));
  },
  "POST /auth/v1/step_up/passkey_options": async () =>
    assertServed(await asEve("POST", "/auth/v1/step_up/passkey_options")),
  "POST /auth/v1/step_up/passkey": async () => {
    for (const requested of [eve, ada]) {
      const { body } = await requested.send("POST", "/auth/v1/step_up/passkey_options");
      const credential = adaDevice.authenticate(body.challenge);
      const reply = await asEve("POST", "/auth/v1/step_up/passkey", { credential });
      assert.ok([400, 401, 404].includes(reply.status), reply.text);
      assert.equal(reply.headers.get("set-cookie"), null);
    }
  },
  "POST /auth/v1/operator_set_up/join": async () => {
    for (const token of [resetToken, invitationToken]) {
      assertRejected(await asEve("POST", "/auth/v1/operator_set_up/join", { token }));
    }
  },
  "POST /auth/v1/password": async () => {
    assertRejected(
      await asEve("POST", "/auth/v1/password", { password: newPassword, person: ada.id }),
    );
    assertServed(await asEve("POST", "/auth/v1/password", { password: newPassword }));
  },
  "POST /auth/v1/totp": async () => assertServed(await asEve("POST", "/auth/v1/totp")),
  "POST /auth/v1/totp/confirm": async () => {
    await asEve("POST", "/auth/v1/totp");
    assertRejected(await asEve("POST", "/auth/v1/totp/confirm", { totp_code: adaApp.code() }));
  },
  "DELETE /auth/v1/totp": async () => {
    // The only authenticator app that Eve can have is the one whose setup the requests above have started.
    assertNothingOfAda(await asEve("DELETE", "/auth/v1/totp"));
  },
  "POST /auth/v1/passkeys/register_options": async () =>
    assertServed(await asEve("POST", "/auth/v1/passkeys/register_options")),
  "POST /auth/v1/passkeys": async () => {
    const { body } = await ada.send("POST", "/auth/v1/passkeys/register_options");
    const credential = createDevice(shop.url.replace("127.0.0.1", "localhost")).register(
      body.challenge,
    );
    assertRejected(await asEve("POST", "/auth/v1/passkeys", { name: "Eve's key", credential }));
  },
  "DELETE /auth/v1/passkeys/:id": async () => {
    const nothing = createDevice(shop.url).id;
    const foreign = await asEve("DELETE", `/auth/v1/passkeys/${adaDevice.id}`);
    assert.equal(foreign.status, 404);
    const missing = await asEve("DELETE", `/auth/v1/passkeys/${nothing}`);
    assertSameResponse(foreign, missing, adaDevice.id, nothing);
  },
  "POST /auth/v1/recovery_codes": async () => {
    assertNothingOfAda(await asEve("POST", "/auth/v1/recovery_codes"));
  },
  "POST /auth/v1/invitations/accept": async () => {
    const token = invitationToken;
    assertRejected(await asEve("POST", "/auth/v1/invitations/accept", { token }));
  },

  // Without a session: no response reveals an account, and a link works only for its own purpose.
  "POST /auth/v1/sign_up": async () => {
    const known = await asAnonymous("/auth/v1/sign_up", { email: ada.email });
    assertSameResponse(
      known,
      await asAnonymous("/auth/v1/sign_up", { email: "unregistered@example.com" }),
    );
  },
  "POST /auth/v1/sign_up/complete": async () => {
    for (const token of [resetToken, invitationToken, setUpToken]) {
      const merchant = { merchant_name: "Eve's", country: "DE" };
      assertRejected(
        await asAnonymous("/auth/v1/sign_up/complete", { ...person, ...merchant, token }),
      );
    }
  },
  "POST /auth/v1/reset": async () => {
    const known = await asAnonymous("/auth/v1/reset", { email: eve.email });
    assertSameResponse(
      known,
      await asAnonymous("/auth/v1/reset", { email: "unregistered@example.com" }),
    );
  },
  "POST /auth/v1/reset/complete": async () => {
    for (const token of [invitationToken, setUpToken]) {
      assertRejected(
        await asAnonymous("/auth/v1/reset/complete", { token, password: newPassword }),
      );
    }
  },
  "POST /auth/v1/links/read": async () => {
    assertRejected(await asAnonymous("/auth/v1/links/read", { token: invitationToken }));
  },
  "POST /auth/v1/sign_in": async () => {
    const password = eve.password;
    const known = await asAnonymous("/auth/v1/sign_in", { email: ada.email, password });
    assertRejected(known);
    await shop.app.database.transaction((tx) => tx`delete from sign_in_attempts`);
    const unknown = { email: "unregistered@example.com", password };
    assertSameResponse(known, await asAnonymous("/auth/v1/sign_in", unknown));
  },
  "POST /auth/v1/passkeys/sign_in_options": async () =>
    assertServed(await asAnonymous("/auth/v1/passkeys/sign_in_options", {})),
  "POST /auth/v1/passkeys/sign_in": async () => {
    // A passkey challenge that was issued for a step-up, to Ada or Eve, cannot be used to sign in.
    for (const requested of [ada, eve]) {
      const { body } = await requested.send("POST", "/auth/v1/step_up/passkey_options");
      const credential = adaDevice.authenticate(body.challenge);
      const reply = await asAnonymous("/auth/v1/passkeys/sign_in", { credential });
      assert.ok([400, 401].includes(reply.status), reply.text);
      assert.equal(reply.headers.get("set-cookie"), null);
    }
  },
  "POST /auth/v1/operator_set_up": async () => {
    for (const token of [resetToken, invitationToken]) {
      const email = "eve.second@example.com";
      assertRejected(await asAnonymous("/auth/v1/operator_set_up", { ...person, email, token }));
    }
  },
  "GET /auth/v1/inbox": async () => {
    const headers = {
      "x-forwarded-for": "203.0.113.9",
      "sec-fetch-site": "same-origin",
      authorization: `Bearer ${inboxSecret}`,
    };
    assertRejected(await shop.send("GET", "/auth/v1/inbox", { headers }));
  },
  "GET /auth/v1/service": async () => {
    const headers = { "x-forwarded-for": "203.0.113.9", "sec-fetch-site": "same-origin" };
    const reply = await shop.send("GET", "/auth/v1/service", { headers });
    assert.deepEqual(reply.body, {
      object: "service",
      demo_inbox: false,
      acquirers: "live",
      sends_email: false,
    });
  },
  "POST /auth/v1/invitations/read": async () => {
    for (const token of [resetToken, setUpToken]) {
      assertRejected(await asAnonymous("/auth/v1/invitations/read", { token }));
    }
  },
  "POST /auth/v1/invitations/sign_up": async () => {
    for (const token of [resetToken, setUpToken]) {
      assertRejected(await asAnonymous("/auth/v1/invitations/sign_up", { ...person, token }));
    }
  },
};

for (const { method, url } of routesBelow("/auth/v1")) {
  const route = `${method} ${url}`;
  test(`${route} neither reads nor changes anything of another person`, async () => {
    const row = rows[route];
    assert.ok(row, `Add a row for ${route} to this file.`);
    const before = await readAdaState();
    await row();
    assert.deepEqual(await readAdaState(), before);
  });
}

test("every tested route exists", () => {
  const servedRoutes = new Set(
    routesBelow("/auth/v1").map(({ method, url }) => `${method} ${url}`),
  );
  assert.deepEqual(
    Object.keys(rows).filter((route) => !servedRoutes.has(route)),
    [],
  );
});

const ownAccount = shop.otherMerchant.account;
const otherAccount = (await shop.createMerchant()).account;
const operator = await createPerson(shop, { operator: true, secondFactor: true });
const outsiders = [
  [
    "the owner of another account",
    await createPerson(shop, { account: ownAccount, secondFactor: true }),
  ],
  [
    "the owner of the account",
    await createPerson(shop, { account: otherAccount, secondFactor: true }),
  ],
  ["an operator without a second factor", await createPerson(shop, { operator: true })],
] as const;

const consolePath = (url: string) =>
  url
    .replace(":account", otherAccount)
    .replace(":person", ada.id)
    .replace(":document", newId("doc", shop.clock.now()))
    .replace(":proposal", newId("prop", shop.clock.now()))
    .replace(":connection", newId("con", shop.clock.now()))
    .replace(":notification", newId("ntf", shop.clock.now()))
    .replace(":assignment", newId("asg", shop.clock.now()))
    .replace(":wallet", "google_pay")
    .replace(":key", newId("wk", shop.clock.now()))
    .replace(":charge", newId("ch", shop.clock.now()));

for (const { method, url, access } of routesBelow("/operator/v1")) {
  test(`403: rejects ${method} ${url} for merchants and for operators without a second factor`, async () => {
    assert.equal(access?.authentication, "operator_session");
    const path = consolePath(url);
    assert.doesNotMatch(path, /:/);
    const body = method === "GET" ? undefined : {};
    for (const [who, outsider] of outsiders) {
      const reply = await outsider.send(method, path, body);
      assert.equal(reply.status, 403, `${who}: ${reply.text}`);
      assert.match(reply.body.error.code, /^(permission_denied|second_factor_required)$/);
    }
    const key = { authorization: `Bearer ${shop.merchant.key}`, "sec-fetch-site": "same-origin" };
    assert.equal(
      (await shop.send(method, path, { headers: key, ...(body && { body }) })).status,
      401,
    );
    // An operator's request reaches the handler, or the validation of its body.
    const reply = await operator.send(method, path, body);
    assert.ok([200, 201, 400, 404, 415].includes(reply.status), `${reply.status}: ${reply.text}`);
  });
}
