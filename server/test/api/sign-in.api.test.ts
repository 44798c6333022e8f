import assert from "node:assert/strict";
import { after, test } from "node:test";
import { uuidOf } from "../../src/core/ids.ts";
import { tokenMailedTo } from "../mailbox.ts";
import { createPerson } from "../person.ts";
import { errorOf, inboxSecret, startShop } from "../shop.ts";
import { hour, minute } from "../test-clock.ts";

const shop = await startShop();
after(() => shop.close());

const sameOrigin = { "sec-fetch-site": "same-origin" };

function post(path: string, body: unknown, headers: Record<string, string> = sameOrigin) {
  return shop.send("POST", `/auth/v1${path}`, { body, headers });
}

test("following the mailed link creates a merchant account and signs the user in", async () => {
  const email = "Ada@example.com";
  await post("/sign_up", { email });
  const token = await tokenMailedTo(shop, email);
  const link = (await post("/links/read", { token })).body;
  assert.deepEqual(link, { object: "link", purpose: "sign_up", email });

  const chosen = { name: "Ada", password: "a horse, a battery 2", merchant_name: "Engines" };
  const signedUp = await post("/sign_up/complete", { token, ...chosen, country: "GB" });
  assert.equal(signedUp.status, 201);
  const [session = ""] = signedUp.headers.getSetCookie();
  const [cookie, ...attributes] = session.split("; ");
  assert.deepEqual(attributes, ["Path=/", "Secure", "HttpOnly", "SameSite=Strict"]);

  const headers = { cookie: cookie ?? "" };
  const { body: me } = await shop.send("GET", "/auth/v1/me", { headers });
  assert.deepEqual([me.email, me.operator, me.memberships[0].role], [email, false, "owner"]);
  const { account } = me.memberships[0];
  assert.deepEqual([account.name, account.country, account.status], ["Engines", "GB", "test_only"]);
  const read = await shop.send("GET", "/api/v1/account", {
    headers: { ...headers, "florin-account": account.id, "florin-mode": "test" },
  });
  assert.equal(read.body.name, "Engines");

  const again = await post("/sign_up/complete", { token, ...chosen, country: "GB" });
  assert.deepEqual(errorOf(again), [400, "invalid_request_error", "link_invalid", "token"]);
  assert.equal((await post("/sign_in", { email, password: chosen.password })).status, 200);
});

test("rejects common passwords and those based on the person's name or address", async () => {
  await post("/sign_up", { email: "weak@example.com" });
  const token = await tokenMailedTo(shop, "weak@example.com");
  const rejected = [
    "elevenchar1",
    "password1234",
    "Passw0rd!Passw0rd!",
    "qwertyuiop123",
    "123456789012",
    "aaaaaaaaaaa1",
    "weak@example.com",
    "Grace Hopper 1906",
  ];
  for (const password of rejected) {
    const chosen = { token, name: "Grace Hopper", password, merchant_name: "Cobol", country: "US" };
    const response = await post("/sign_up/complete", chosen);
    assert.equal(response.body.error?.code, "password_unsuitable", password);
  }
});

test("sign-in, sign-up and reset do not reveal whether an account exists", async () => {
  const { email, password } = await createPerson(shop);
  const without = (text: string) => text.replace(/req_\w+/, "");
  const responses = async (path: string, rest: object) => {
    const known = await post(path, { email, ...rest });
    const unknown = await post(path, { email: "unregistered@example.com", ...rest });
    return [known, unknown].map(({ status, text }) => `${status} ${without(text)}`);
  };
  for (const [path, rest] of [
    ["/sign_up", {}],
    ["/reset", {}],
    ["/sign_in", { password: `not ${password}` }],
  ] as const) {
    const [known, unknown] = await responses(path, rest);
    assert.equal(known, unknown);
  }
});

test("a request for an email writes the same rows, so that its duration does not reveal whether an account exists", async () => {
  const { email } = await createPerson(shop);
  const readRows = async (address: string) => {
    const [rows] = await shop.app.database.read<{ links: number; mails: number }>`
      select (select count(*)::int from links where email = ${address}) as links, (select count(*)::int from mails) as mails`;
    return rows ?? assert.fail();
  };
  for (const path of ["/sign_up", "/reset"]) {
    for (const address of [email, "unregistered2@example.com"]) {
      const before = await readRows(address);
      assert.equal((await post(path, { email: address })).status, 200);
      const after = await readRows(address);
      const written = [after.links - before.links, after.mails - before.mails];
      assert.deepEqual(written, [1, 1], `${path} ${address}`);
    }
  }
});

test("a reset link works once within half an hour, and ends every session", async () => {
  const person = await createPerson(shop);
  const { email } = person;
  await post("/reset", { email });
  const late = await tokenMailedTo(shop, email);
  shop.clock.advance(31 * minute);
  const tooLate = await post("/reset/complete", { token: late, password: "another horse 2" });
  assert.equal(tooLate.body.error.code, "link_invalid");

  await post("/reset", { email });
  const token = await tokenMailedTo(shop, email);
  const both = await Promise.all(
    ["the first horse 1", "the second horse 2"].map((password) =>
      post("/reset/complete", { token, password }),
    ),
  );
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400]);
  assert.equal((await person.send("GET", "/auth/v1/me")).body.error.code, "sign_in_required");
  const old = await post("/sign_in", { email, password: person.password });
  assert.equal(old.body.error.code, "sign_in_failed");
});

test("changing the password invalidates an emailed reset link", async () => {
  const person = await createPerson(shop);
  await post("/reset", { email: person.email });
  const token = await tokenMailedTo(shop, person.email);
  const changed = await person.send("POST", "/auth/v1/password", {
    password: "my own new horse 2",
  });
  assert.equal(changed.status, 200);
  const late = await post("/reset/complete", { token, password: "the thief's horse 2" });
  assert.equal(late.body.error.code, "link_invalid");
});

test("upper and lower case of an email address count as the same address, and a different letter does not", async () => {
  const { id, password } = await createPerson(shop);
  const email = "silvia@example.com";
  await shop.app.database.transaction(
    (tx) => tx`update people set email = ${email} where id = ${uuidOf(id)}`,
  );
  const turkishSpelling = await post("/sign_in", { email: email.replace("i", "\u0130"), password });
  assert.equal(turkishSpelling.body.error?.code, "sign_in_failed");
  assert.equal((await post("/sign_in", { email: email.toUpperCase(), password })).status, 200);
});

test("a session ends after 15 minutes without activity", async () => {
  const person = await createPerson(shop);
  shop.clock.advance(14 * minute);
  assert.equal((await person.send("GET", "/auth/v1/me")).status, 200);
  shop.clock.advance(14 * minute);
  assert.equal((await person.send("GET", "/auth/v1/me")).status, 200);
  shop.clock.advance(15 * minute);
  const over = await person.send("GET", "/auth/v1/me");
  assert.deepEqual(errorOf(over), [401, "authentication_error", "sign_in_required"]);
});

test("automatic reads by a page do not keep a session open", async () => {
  const person = await createPerson(shop);
  const read = () => person.send("GET", "/auth/v1/me", undefined, { "florin-away": "1" });
  for (let minutes = 0; minutes < 15; minutes += 5) {
    assert.equal((await read()).status, 200);
    shop.clock.advance(5 * minute);
  }
  assert.equal((await read()).status, 401);
});

test("a session ends after twelve hours regardless of activity", async () => {
  const person = await createPerson(shop);
  for (let passed = 0; passed < 12 * hour - 10 * minute; passed += 10 * minute) {
    assert.equal((await person.send("GET", "/auth/v1/me")).status, 200);
    shop.clock.advance(10 * minute);
  }
  assert.equal((await person.send("GET", "/auth/v1/me")).status, 200);
  shop.clock.advance(10 * minute);
  assert.equal((await person.send("GET", "/auth/v1/me")).status, 401);
});

test("signing in creates a new session token", async () => {
  const { email, password, cookie } = await createPerson(shop);
  const planted = { ...sameOrigin, cookie: cookie() };
  const response = await post("/sign_in", { email, password }, planted);
  const [name, token] = (response.headers.get("set-cookie") ?? "").split(/[=;]/);
  assert.equal(name, "__Host-florin_session");
  assert.match(token ?? "", /^[\w-]{43}$/);
  assert.notEqual(`${name}=${token}`, cookie());
});

test("the merchant's audit log records sign-ins", async () => {
  const { account } = await shop.createMerchant();
  const owner = await createPerson(shop, { account });
  const { email, password } = await createPerson(shop, { account, role: "support" });
  await post("/sign_in", { email, password: `not ${password}` });
  await post("/sign_in", { email, password });
  const { data } = (await owner.api("GET", "/audit_log?action=member.signed_in")).body;
  assert.deepEqual(
    data.map((entry: { actor: { name: string }; ip: string }) => [entry.actor.name, entry.ip]),
    [[email, "127.0.0.1"]],
  );
});

test("a person can list their sessions and end them", async () => {
  const person = await createPerson(shop);
  const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
  const { email, password } = person;
  await post("/sign_in", { email, password }, { ...sameOrigin, "user-agent": firefox });
  const { data } = (await person.send("GET", "/auth/v1/sessions")).body;
  const other = data.find((session: { current: boolean }) => !session.current);
  assert.deepEqual([data.length, other.browser, other.ip], [2, "Firefox on Linux", "127.0.0.1"]);

  const stranger = await createPerson(shop);
  assert.equal((await stranger.send("DELETE", `/auth/v1/sessions/${other.id}`)).status, 404);
  assert.equal((await person.send("DELETE", `/auth/v1/sessions/${other.id}`)).status, 200);
  assert.equal((await person.send("GET", "/auth/v1/sessions")).body.data.length, 1);

  const signedOut = await person.send("POST", "/auth/v1/sign_out", {});
  assert.match(signedOut.headers.get("set-cookie") ?? "", /Max-Age=0/);
  assert.equal((await person.send("GET", "/auth/v1/me")).status, 401);
});

test("sign-in requests from another site are rejected", async () => {
  const { email, password } = await createPerson(shop);
  const elsewhere: Record<string, string>[] = [
    {},
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site", origin: shop.url },
    { origin: "https://evil.example" },
  ];
  for (const headers of elsewhere) {
    const response = await post("/sign_in", { email, password }, headers);
    assert.deepEqual(errorOf(response), [403, "invalid_request_error", "cross_site_request"]);
  }
  assert.equal((await post("/sign_in", { email, password }, { origin: shop.url })).status, 200);
});

test("passwords are rejected over plain http", async () => {
  const { email, password } = await createPerson(shop);
  const headers = { ...sameOrigin, host: "pay.example" };
  const response = await post("/sign_in", { email, password }, headers);
  assert.deepEqual(errorOf(response), [400, "invalid_request_error", "https_required"]);
});

const withLink = { authorization: `Bearer ${inboxSecret}` };

test("the inbox exists only in a demo, and without a mail server sign-up returns an error", async () => {
  assert.equal((await shop.send("GET", "/auth/v1/inbox", { headers: withLink })).status, 200);
  const service = await startShop({ inbox: false });
  const responses = await Promise.all([
    service.send("GET", "/auth/v1/inbox", { headers: withLink }),
    service.send("POST", "/auth/v1/sign_up", {
      body: { email: "a@example.com" },
      headers: sameOrigin,
    }),
  ]).finally(() => service.close());
  assert.deepEqual(
    responses.map(({ body }) => body.error.code),
    ["endpoint_unknown", "mail_not_configured"],
  );
});

test("the response before sign-in states whether emails are sent, the browser can open the inbox, and live mode is a sandbox", async () => {
  const readService = async (service: typeof shop, headers = {}) =>
    (await service.send("GET", "/auth/v1/service", { headers: { ...sameOrigin, ...headers } }))
      .body;
  const service = { object: "service", acquirers: "live", sends_email: false };
  assert.deepEqual(await readService(shop), { ...service, demo_inbox: true });
  const elsewhere = { "x-forwarded-for": "203.0.113.9" };
  assert.deepEqual(await readService(shop, elsewhere), { ...service, demo_inbox: false });
  const withMail = await startShop({ inbox: false, acquirers: "sandbox" });
  const production = await readService(withMail).finally(() => withMail.close());
  assert.deepEqual(production, { ...service, acquirers: "sandbox", demo_inbox: false });
});

test("400: a link that was cut off is invalid like an expired one", async () => {
  for (const token of ["x", "a".repeat(42), `${"a".repeat(43)}>`]) {
    for (const path of ["/links/read", "/invitations/read"]) {
      const expected = [400, "invalid_request_error", "link_invalid", "token"];
      assert.deepEqual(errorOf(await post(path, { token })), expected, `${path} ${token}`);
    }
  }
});

test("400: the inbox requires the link that the server printed at the start, even on this machine", async () => {
  for (const authorization of [
    undefined,
    "Bearer",
    `Bearer ${inboxSecret}x`,
    `Bearer ${inboxSecret.slice(1)}`,
  ]) {
    const headers = authorization === undefined ? {} : { authorization };
    const reply = await shop.send("GET", "/auth/v1/inbox", { headers });
    assert.deepEqual(errorOf(reply), [400, "invalid_request_error", "link_invalid"]);
  }
});

test("the demo's emails are shown to browsers on this machine and not through a proxy", async () => {
  for (const headers of [
    { "x-forwarded-for": "203.0.113.9" },
    { "x-forwarded-for": "127.0.0.1" },
    { forwarded: "for=127.0.0.1" },
    { "x-real-ip": "127.0.0.1" },
    { host: "pay.example.com" },
  ]) {
    const response = await shop.send("GET", "/auth/v1/inbox", {
      headers: { ...withLink, ...headers },
    });
    assert.deepEqual([response.status, response.body.error?.code], [404, "endpoint_unknown"]);
  }
});
