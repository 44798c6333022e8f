import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { type AuthenticatorApp, addAuthenticatorApp } from "../authenticator-app.ts";
import { mailTo } from "../mailbox.ts";
import { createPerson, type TestPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";
import { minute, second } from "../test-clock.ts";

const shop = await startShop();
after(() => shop.close());
// Stops the clock, because the waits after failed attempts are only a few seconds.
shop.clock.stop();

function signIn(body: unknown) {
  const headers = { "sec-fetch-site": "same-origin" };
  return shop.send("POST", "/auth/v1/sign_in", { body, headers });
}

// Deletes the counted attempts, so that the failures of different tests do not add up.
beforeEach(() => shop.app.database.transaction((tx) => tx`delete from sign_in_attempts`));

let person: TestPerson;
let app: AuthenticatorApp;
let given: { email: string; password: string };
before(async () => {
  person = await createPerson(shop);
  given = { email: person.email, password: person.password };
});

test("the first code of an authenticator app confirms it as a second factor and returns recovery codes", async () => {
  const oldCookie = person.cookie();
  app = await addAuthenticatorApp(shop, person);
  assert.equal(new Set(app.recoveryCodes).size, 10);
  assert.notEqual(person.cookie(), oldCookie);
  const { body: me } = await person.send("GET", "/auth/v1/me");
  assert.deepEqual(me.second_factors, { totp: true, passkeys: 0, recovery_codes_left: 10 });
  assert.equal(me.session.second_factor, true);
  assert.equal(
    (await mailTo(shop, person.email)).subject,
    "An authenticator app was added to your account",
  );
});

test("adding the first second factor ends every session that used only a password", async () => {
  const victim = await createPerson(shop);
  const { email, password } = victim;
  const thief = await signIn({ email, password });
  const cookie = thief.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  const asThief = () => shop.send("GET", "/auth/v1/me", { headers: { cookie } });
  assert.equal((await asThief()).status, 200);
  await addAuthenticatorApp(shop, victim);
  assert.equal((await asThief()).body.error.code, "sign_in_required");
  assert.equal((await victim.send("GET", "/auth/v1/me")).status, 200);
});

test("with a second factor, sign-in requires the code in addition to the password", async () => {
  shop.clock.advance(minute);
  const half = await signIn(given);
  assert.deepEqual(half.body, {
    object: "sign_in",
    status: "second_factor_required",
    second_factors: ["totp", "recovery_code"],
  });
  assert.equal(half.headers.get("set-cookie"), null);
  const whole = await signIn({ ...given, totp_code: app.code() });
  assert.equal(whole.body.status, "complete");
});

test("a code is accepted once, even in twenty concurrent requests", async () => {
  shop.clock.advance(minute);
  const totp_code = app.code();
  // After the first failures, the other attempts are rejected unverified until a wait has passed.
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => signIn({ ...given, totp_code })),
  );
  assert.equal(responses.filter(({ status }) => status === 200).length, 1);
  shop.clock.advance(second);
  const again = await signIn({ ...given, totp_code });
  assert.deepEqual(errorOf(again), [401, "authentication_error", "sign_in_failed", "totp_code"]);
});

/** The period of a code (RFC 6238). */
const step = 30 * second;

test("accepts a code of the previous step and rejects a code from three steps ago", async () => {
  shop.clock.advance(5 * minute);
  const old = app.code();
  shop.clock.advance(90 * second);
  assert.equal((await signIn({ ...given, totp_code: old })).status, 401);
  const recent = app.code();
  shop.clock.advance(step);
  assert.equal((await signIn({ ...given, totp_code: recent })).status, 200);
});

test("a recovery code signs in once in any spelling, and its owner is notified", async () => {
  const [code = ""] = app.recoveryCodes;
  const typed = ` ${code.toUpperCase().replaceAll("-", " ")}`;
  assert.equal((await signIn({ ...given, recovery_code: typed })).status, 200);
  const { subject } = await mailTo(shop, person.email);
  assert.equal(subject, "One of your recovery codes was used");
  assert.equal((await signIn({ ...given, recovery_code: code })).status, 401);
  const { body: me } = await person.send("GET", "/auth/v1/me");
  assert.equal(me.second_factors.recovery_codes_left, 9);
});

test("wrong codes are counted, and a correct password does not reset the count", async () => {
  const codes: number[] = [];
  for (let guess = 0; guess < 6; guess++) {
    await signIn(given);
    codes.push((await signIn({ ...given, totp_code: "000000" })).status);
  }
  assert.deepEqual(codes, [401, 401, 401, 401, 401, 429]);
  const right = await signIn({ ...given, totp_code: app.code() });
  assert.deepEqual(errorOf(right), [429, "rate_limit_error", "sign_in_throttled"]);
  shop.clock.advance(Number(right.headers.get("retry-after")) * second);
  assert.equal((await signIn({ ...given, totp_code: app.code() })).status, 200);
});

test("attempts at one address are delayed, and concurrent ones are limited like sequential ones", async () => {
  const { email, password } = await createPerson(shop);
  const guesses = await Promise.all(
    Array.from({ length: 40 }, (_, guess) => signIn({ email, password: `guess ${guess} of many` })),
  );
  const verified = guesses.filter(({ status }) => status === 401).length;
  assert.ok(verified <= 5, `${verified} guesses were verified`);
  assert.equal((await signIn({ email, password })).status, 429);
  const waits: number[] = [];
  for (let guess = 0; guess < 10; guess++) {
    const response = await signIn({ email, password: "another guess" });
    const wait = Number(response.headers.get("retry-after"));
    if (wait > 0) waits.push(wait);
    shop.clock.advance(wait * second);
  }
  assert.deepEqual(waits, [5, 10, 20, 40, 80]);
});

test("dangerous operations require a step-up within the last ten minutes", async () => {
  const worker = await createPerson(shop);
  shop.clock.advance(10 * minute);
  const late = await worker.send("POST", "/auth/v1/totp");
  assert.deepEqual(errorOf(late), [403, "invalid_request_error", "step_up_required"]);

  const rejected = await worker.send("POST", "/auth/v1/step_up", { password: "not this one" });
  assert.deepEqual(errorOf(rejected), [
    400,
    "invalid_request_error",
    "credentials_invalid",
    "password",
  ]);
  const oldCookie = worker.cookie();
  const reauthenticated = await worker.send("POST", "/auth/v1/step_up", {
    password: worker.password,
  });
  assert.equal(reauthenticated.body.status, "complete");
  assert.equal((await worker.send("POST", "/auth/v1/totp")).status, 201);

  // The session token from before the verification is invalid immediately.
  assert.equal((await meWith(oldCookie)).status, 401);
});

const meWith = (cookie: string) =>
  shop.send("GET", "/auth/v1/me", { headers: { cookie, "sec-fetch-site": "same-origin" } });

test("renewing a session replaces its token, and the old token is invalid immediately", async () => {
  const worker = await createPerson(shop);
  const first = worker.cookie();
  const renewed = await worker.send("POST", "/auth/v1/session/renew", {});
  assert.equal(renewed.body.status, "renewed");
  assert.notEqual(worker.cookie(), first);
  assert.equal((await meWith(first)).status, 401);
  assert.equal((await worker.send("GET", "/auth/v1/me")).status, 200);
});

test("renewing a session is not a step-up and does not extend the session", async () => {
  const worker = await createPerson(shop);
  shop.clock.advance(11 * minute);
  await worker.send("POST", "/auth/v1/session/renew", {});
  const late = await worker.send("POST", "/auth/v1/totp");
  assert.equal(late.body.error.code, "step_up_required");
});

test("of concurrent renewals one replaces the token, and its cookie is valid", async () => {
  const worker = await createPerson(shop);
  const headers = { cookie: worker.cookie(), "sec-fetch-site": "same-origin" };
  const replies = await Promise.all(
    Array.from({ length: 10 }, () =>
      shop.send("POST", "/auth/v1/session/renew", { body: {}, headers }),
    ),
  );
  const won = replies.filter(({ status }) => status === 200);
  assert.equal(won.length, 1);
  assert.ok(replies.every(({ status }) => status === 200 || status === 401));
  const cookie = won[0]?.headers.get("set-cookie")?.split(";")[0] ?? "";
  assert.equal((await meWith(cookie)).status, 200);
});

test("wrong passwords for an address block its sign-in, but not its sessions", async () => {
  const { email, password, send } = await createPerson(shop);
  for (let guess = 0; guess < 6; guess++) await signIn({ email, password: "an attacker's guess" });
  assert.equal((await signIn({ email, password })).status, 429);
  assert.equal((await send("POST", "/auth/v1/step_up", { password })).body.status, "complete");
});

test("a step-up requires the second factor if there is one", async () => {
  const worker = await createPerson(shop);
  const workerApp = await addAuthenticatorApp(shop, worker);
  shop.clock.advance(11 * minute);
  const { password } = worker;
  const half = await worker.send("POST", "/auth/v1/step_up", { password });
  assert.equal(half.body.status, "second_factor_required");
  const whole = await worker.send("POST", "/auth/v1/step_up", {
    password,
    totp_code: workerApp.code(),
  });
  assert.equal(whole.body.status, "complete");
});

test("changing the password ends the other sessions and keeps the current one", async () => {
  const worker = await createPerson(shop);
  await signIn({ email: worker.email, password: worker.password });
  const before = await worker.send("GET", "/auth/v1/sessions");
  assert.equal(before.body.data.length, 2);
  const password = "three new words here 3";
  assert.equal((await worker.send("POST", "/auth/v1/password", { password })).status, 200);
  assert.equal((await worker.send("GET", "/auth/v1/sessions")).body.data.length, 1);
  assert.equal((await signIn({ email: worker.email, password })).status, 200);
});

test("resetting the password does not remove the second factor", async () => {
  const worker = await createPerson(shop);
  await addAuthenticatorApp(shop, worker);
  const headers = { "sec-fetch-site": "same-origin" };
  const post = (path: string, body: unknown) =>
    shop.send("POST", `/auth/v1${path}`, { body, headers });
  // Advances the clock, so that the email of the reset is the newest.
  shop.clock.advance(second);
  await post("/reset", { email: worker.email });
  const [, token] = /#([\w-]+)/.exec((await mailTo(shop, worker.email)).text) ?? [];
  const password = "three other words here 3";
  assert.equal((await post("/reset/complete", { token, password })).status, 200);
  const half = await signIn({ email: worker.email, password });
  assert.equal(half.body.status, "second_factor_required");
});
