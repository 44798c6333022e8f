import assert from "node:assert/strict";
import { after, test } from "node:test";
import { uuidOf } from "../../src/core/ids.ts";
import { insertLink } from "../../src/identity/people/link.sql.ts";
import { hashSecretText, newSecretText } from "../../src/identity/people/secret-text.ts";
import { addAuthenticatorApp } from "../authenticator-app.ts";
import { tokenMailedTo } from "../mailbox.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";
import { minute } from "../test-clock.ts";

// A password hash needs 19 MiB of memory and about 30 ms of CPU time, so each caller can cause only a few hashes.
const shop = await startShop({ workers: false });
after(() => shop.close());

const password = "seven quiet lighthouses 7";
const chosen = { name: "Ada", password, merchant_name: "Engines", country: "GB" };

function post(path: string, body: unknown) {
  const headers = { "sec-fetch-site": "same-origin" };
  return shop.send("POST", `/auth/v1${path}`, { body, headers });
}

/** More requests than the queue for password hashing holds. If each request computed a hash, some would return 503. */
const requestCount = 100;
const all = <Value>(value: Value) => Array.from({ length: requestCount }, () => value);
const sendConcurrently = async (path: string, body: unknown) => {
  const replies = await Promise.all(all(null).map(() => post(path, body)));
  return replies.map(({ status, body: { error } }) => `${status} ${error?.code}`);
};

async function signUpLink(email: string): Promise<string> {
  await post("/sign_up", { email });
  const token = await tokenMailedTo(shop, email);
  await shop.app.database.transaction((tx) => tx`delete from mails where recipient = ${email}`);
  return token;
}

test("a link for another purpose is rejected before a password is hashed", async () => {
  const person = await createPerson(shop);
  await post("/reset", { email: person.email });
  const reset = await tokenMailedTo(shop, person.email);
  const signUp = await signUpLink("ada@example.com");
  const invalid = all("400 link_invalid");
  assert.deepEqual(
    await sendConcurrently("/sign_up/complete", { ...chosen, token: reset }),
    invalid,
  );
  assert.deepEqual(await sendConcurrently("/reset/complete", { password, token: signUp }), invalid);
  const operator = { name: "Ada", email: "operator@example.com", password };
  assert.deepEqual(
    await sendConcurrently("/operator_set_up", { ...operator, token: signUp }),
    invalid,
  );
});

test("an invitation of a person with an account is rejected before a password is hashed", async () => {
  const owner = await createPerson(shop);
  const guest = await createPerson(shop, { account: shop.otherMerchant.account });
  await owner.api("POST", "/invitations", { email: guest.email, role: "support" });
  const token = await tokenMailedTo(shop, guest.email);
  assert.deepEqual(
    await sendConcurrently("/invitations/sign_up", { token, name: "Ada", password }),
    all("400 resource_already_exists"),
  );
});

test("429: a link allows five attempts before a wait, even if the attempts are concurrent", async () => {
  // Stops the clock, because hashing a hundred passwords can take longer than the wait of five seconds.
  shop.clock.stop();
  const email = "grace@example.com";
  const [first, second] = [await signUpLink(email), await signUpLink(email)];
  assert.equal((await post("/sign_up/complete", { ...chosen, token: first })).status, 201);
  const responses = await sendConcurrently("/sign_up/complete", { ...chosen, token: second });
  const counts = Object.groupBy(responses, (response) => response);
  assert.deepEqual(
    Object.entries(counts).map(([response, those]) => [response, those?.length]),
    [
      ["400 resource_already_exists", 5],
      ["429 sign_in_throttled", requestCount - 5],
    ].toSorted((a, b) => responses.indexOf(String(a[0])) - responses.indexOf(String(b[0]))),
  );
  const rejected = await post("/sign_up/complete", { ...chosen, token: second });
  assert.ok(Number(rejected.headers.get("retry-after")) > 0);
});

test("429: a person can change the password five times before a wait", async () => {
  const person = await createPerson(shop);
  const change = (count: number) =>
    person.send("POST", "/auth/v1/password", { password: `${password} ${count}` });
  for (let count = 0; count < 5; count++) assert.equal((await change(count)).status, 200);
  assert.deepEqual(errorOf(await change(5)), [429, "rate_limit_error", "sign_in_throttled"]);
});

test("429: correct passwords are limited too, because each sign-in costs a hash and adds a session", async () => {
  const person = await createPerson(shop);
  const { email, password: right } = person;
  const statuses = [];
  for (let count = 0; count < 40; count++) {
    statuses.push((await post("/sign_in", { email, password: right })).status);
  }
  assert.deepEqual(statuses.slice(0, 30), Array(30).fill(200));
  assert.ok(statuses.includes(429), "the sign-ins have no limit");
  const sessions = await shop.app.database.read`
    select 1 from sessions where person_id = ${uuidOf(person.id)}
  `;
  assert.equal(sessions.length, 31, "one session is that of the test's browser");

  // Those sign-ins do not delay a step-up, and delay other sign-ins only for a while.
  const stepUp = await person.send("POST", "/auth/v1/step_up", { password: right });
  assert.equal(stepUp.status, 200);
  shop.clock.advance(30 * minute);
  assert.equal((await post("/sign_in", { email, password: right })).status, 200);
});

test("a correct password without its second factor is limited in the same way", async () => {
  const person = await createPerson(shop);
  await addAuthenticatorApp(shop, person);
  const { email, password: right } = person;
  const statuses = [];
  for (let count = 0; count < 40; count++) {
    statuses.push((await post("/sign_in", { email, password: right })).status);
  }
  assert.ok(statuses.includes(429), "the password checks have no limit");
});

test("unknown clients in many networks cannot keep signed-in people from reauthenticating", async () => {
  const service = await startShop({ workers: false, trustedProxies: ["127.0.0.0/8"] });
  after(() => service.close());
  const person = await createPerson(service);
  const guesses = Array.from({ length: 400 }, (_, count) =>
    service.send("POST", "/auth/v1/sign_in", {
      body: { email: `unknown${count}@example.com`, password: "a guess of an attacker 1" },
      headers: {
        "sec-fetch-site": "same-origin",
        "x-forwarded-for": `198.51.${count % 100}.${count}`,
      },
    }),
  );
  const stepUps = [];
  for (let count = 0; count < 5; count++) {
    const { status } = await person.send("POST", "/auth/v1/step_up", { password: person.password });
    stepUps.push(status);
  }
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  assert.ok(statuses.includes(503), "the unknown clients did not fill their queue");
  assert.deepEqual(stepUps, Array(5).fill(200));
});

test("holders of sign-up links cannot keep signed-in people from reauthenticating", async () => {
  const service = await startShop({ workers: false });
  after(() => service.close());
  const person = await createPerson(service);
  const tokens = Array.from({ length: 50 }, () => newSecretText());
  const expiresAt = new Date(service.clock.now().getTime() + 60 * minute);
  await service.app.database.transaction(async (tx) => {
    for (const [count, token] of tokens.entries()) {
      const link = { purpose: "sign_up", email: `new${count}@example.com`, expiresAt } as const;
      await insertLink(tx, hashSecretText(token), link);
    }
  });
  // Each link allows four hashes without a delay, even for concurrent requests.
  const signUps = [...tokens, ...tokens, ...tokens, ...tokens].map((token) =>
    service.send("POST", "/auth/v1/sign_up/complete", {
      body: { ...chosen, token },
      headers: { "sec-fetch-site": "same-origin" },
    }),
  );
  const stepUps = [];
  for (let count = 0; count < 5; count++) {
    const { status } = await person.send("POST", "/auth/v1/step_up", { password: person.password });
    stepUps.push(status);
  }
  const statuses = (await Promise.all(signUps)).map(({ status }) => status);
  assert.ok(statuses.includes(503), "the holders of links did not fill their queue");
  assert.deepEqual(stepUps, Array(5).fill(200));
});

test("the tenth wrong password locks the sign-in for 30 minutes, and an emailed link unlocks it", async () => {
  const person = await createPerson(shop);
  const { email } = person;
  const signIn = (typed: string) => post("/sign_in", { email, password: typed });
  for (let tries = 0; tries < 10; tries++) {
    let response = await signIn("not the password 1");
    if (response.status === 429) {
      shop.clock.advance(Number(response.headers.get("retry-after")) * 1_000);
      response = await signIn("not the password 1");
    }
    assert.equal(response.status, 401);
  }
  shop.clock.advance(29 * minute);
  const locked = await signIn(person.password);
  assert.deepEqual(errorOf(locked), [429, "rate_limit_error", "sign_in_throttled"]);
  assert.ok(Number(locked.headers.get("retry-after")) <= 60);

  await post("/reset", { email });
  const token = await tokenMailedTo(shop, email);
  assert.equal((await post("/reset/complete", { token, password })).status, 200);
  assert.equal((await signIn(password)).status, 200);
});
