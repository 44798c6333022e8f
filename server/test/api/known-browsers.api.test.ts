import assert from "node:assert/strict";
import { after, test } from "node:test";
import { browserAddress } from "../../src/identity/people/browser-address.ts";
import { prepareOperatorSetup } from "../../src/identity/people/operator-setup.ts";
import { secondsToNextDay } from "../../src/platform/mail/mail-limits.ts";
import { createDevice } from "../device.ts";
import { tokenMailedTo } from "../mailbox.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";
import { minute, second } from "../test-clock.ts";

const shop = await startShop({ workers: false });
after(() => shop.close());

/** Creates a browser that stores cookies. */
function createBrowser() {
  const jar = new Map<string, string>();
  return {
    jar,
    async post(path: string, body: unknown) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
      const headers = { "sec-fetch-site": "same-origin", ...(cookie && { cookie }) };
      const reply = await shop.send("POST", `/auth/v1${path}`, { body, headers });
      for (const set of reply.headers.getSetCookie()) {
        const [pair = "", ...attributes] = set.split("; ");
        const [name = "", value = ""] = pair.split("=", 2);
        if (attributes.includes("Max-Age=0")) jar.delete(name);
        else jar.set(name, value);
      }
      return reply;
    },
  };
}

const stranger = createBrowser();

/** Sends wrong passwords until the email address is locked. Anyone who knows the address can do this. */
async function lock(email: string) {
  for (let failures = 0; failures < 10; ) {
    const { status } = await stranger.post("/sign_in", { email, password: "guess 1" });
    if (status === 429) shop.clock.advance(2 * minute);
    else failures += 1;
  }
  assert.equal((await stranger.post("/sign_in", { email, password: "guess 1" })).status, 429);
}

test("a browser with an earlier sign-in can still sign in while other people's guesses lock the address", async () => {
  const { email, password } = await createPerson(shop);
  const browser = createBrowser();
  assert.equal((await browser.post("/sign_in", { email, password })).status, 200);
  await lock(email);
  assert.equal((await browser.post("/sign_in", { email, password })).status, 200);
  assert.equal((await createBrowser().post("/sign_in", { email, password })).status, 429);
});

test("a known browser has its own limit, and is known only for the email address that signed in with it", async () => {
  const one = await createPerson(shop);
  const other = await createPerson(shop);
  const browser = createBrowser();
  await browser.post("/sign_in", { email: one.email, password: one.password });
  let rejected = 0;
  for (let attempts = 0; attempts < 12; attempts++) {
    const { email } = one;
    const { status } = await browser.post("/sign_in", { email, password: "wrong one 1" });
    if (status === 429) rejected += 1;
  }
  assert.ok(rejected > 0);
  // The failures of a known browser do not affect other browsers.
  const { email, password } = one;
  assert.equal((await createBrowser().post("/sign_in", { email, password })).status, 200);

  await lock(other.email);
  const attempt = { email: other.email, password: other.password };
  assert.equal((await browser.post("/sign_in", attempt)).status, 429);
  const [id] = (browser.jar.get("__Host-florin_browser") ?? "").split(".");
  browser.jar.set("__Host-florin_browser", `${id}.${"A".repeat(43)}`);
  assert.equal((await browser.post("/sign_in", attempt)).status, 429);
});

test("after a password reset by an emailed link the browser can sign in, even if other people's guesses lock the address again", async () => {
  const { email } = await createPerson(shop);
  await lock(email);
  const browser = createBrowser();
  await browser.post("/reset", { email });
  const token = await tokenMailedTo(shop, email);
  const password = "eleven loud lighthouses 11";
  assert.equal((await browser.post("/reset/complete", { token, password })).status, 200);
  await lock(email);
  assert.equal((await browser.post("/sign_in", { email, password })).status, 200);
});

test("other people's use of the daily email limit does not prevent a known browser from resetting the password", async () => {
  // Starts at the beginning of a day, because limits are per UTC day and the test advances the clock by more than an
  // hour.
  shop.clock.advance(secondsToNextDay(shop.clock.now()) * second);
  const { email, password } = await createPerson(shop);
  const browser = createBrowser();
  await browser.post("/sign_in", { email, password });
  for (let sent = 0; sent < 10; ) {
    const { status } = await stranger.post("/reset", { email });
    if (status === 429) shop.clock.advance(15 * minute);
    else sent += 1;
  }
  shop.clock.advance(15 * minute);
  const rejected = await stranger.post("/reset", { email });
  assert.deepEqual(errorOf(rejected), [429, "rate_limit_error", "mail_limit_exceeded"]);
  assert.equal((await browser.post("/reset", { email })).status, 200);
});

test("failed sign-ins from the same network do not block a signed-in person's step-up", async () => {
  const person = await createPerson(shop);
  for (let attempts = 0, rejected = 0; rejected === 0 && attempts < 60; attempts++) {
    const email = `unregistered${attempts}@example.com`;
    const { status } = await stranger.post("/sign_in", { email, password: "guess 1" });
    if (status === 429) rejected += 1;
  }
  const { password } = person;
  assert.equal((await person.send("POST", "/auth/v1/step_up", { password })).status, 200);
});

test("a sign-in by passkey makes the browser known", async () => {
  const person = await createPerson(shop);
  const device = createDevice(browserAddress(shop.url));
  const { body: options } = await person.send("POST", "/auth/v1/passkeys/register_options");
  const key = { name: "A key", credential: device.register(options.challenge) };
  assert.equal((await person.send("POST", "/auth/v1/passkeys", key)).status, 201);

  const browser = createBrowser();
  const { challenge } = (await browser.post("/passkeys/sign_in_options", undefined)).body;
  const signIn = { credential: device.authenticate(challenge) };
  assert.equal((await browser.post("/passkeys/sign_in", signIn)).status, 200);
  await assertSignsInWhileLocked(browser, person);
});

test("accepting an invitation makes the browser known", async () => {
  const { account } = await shop.createMerchant();
  const owner = await createPerson(shop, { account });
  const email = "invited@example.com";
  await owner.api("POST", "/invitations", { email, role: "support" });
  const browser = createBrowser();
  const password = "four patient ferrymen 4";
  const token = await tokenMailedTo(shop, email);
  const joining = { token, name: "Grace", password };
  assert.equal((await browser.post("/invitations/sign_up", joining)).status, 201);
  await assertSignsInWhileLocked(browser, { email, password });
});

test("setting up the first operator makes the browser known", async () => {
  const token = await prepareOperatorSetup({ database: shop.app.database, clock: shop.clock });
  const browser = createBrowser();
  const person = { email: "operator@example.com", password: "six silent harbours 6" };
  const setUp = { ...person, token, name: "Olga" };
  assert.equal((await browser.post("/operator_set_up", setUp)).status, 200);
  await assertSignsInWhileLocked(browser, person);
});

/** Asserts that attackers who lock the address do not lock the person out of this browser. */
async function assertSignsInWhileLocked(
  browser: ReturnType<typeof createBrowser>,
  { email, password }: { email: string; password: string },
) {
  await lock(email);
  assert.equal((await browser.post("/sign_in", { email, password })).status, 200);
}

test("renewing a session token makes the browser known", async () => {
  const person = await createPerson(shop);
  const renewed = await person.send("POST", "/auth/v1/session/renew", {});
  const [session, known] = renewed.headers.getSetCookie();
  assert.match(session ?? "", /^__Host-florin_session=/);
  assert.match(
    known ?? "",
    /^__Host-florin_browser=.+; Secure; HttpOnly; SameSite=Strict; Max-Age=34560000$/,
  );
});

test("attempts that wait for a lock leave pool connections for payments", async () => {
  const { email } = await createPerson(shop);
  await stranger.post("/sign_in", { email, password: "guess 1" });
  const { promise: locked, resolve: onLocked } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const holder = shop.app.database.transaction(async (tx) => {
    await tx`select subject from sign_in_attempts for update`;
    onLocked();
    await released;
  });
  await locked;
  const attempts = Array.from({ length: 40 }, () =>
    stranger.post("/sign_in", { email, password: "guess 1" }),
  );
  const params = { amount: 1_000, currency: "usd", payment_method_id: "pm_card_visa" };
  const statuses = await Promise.all(
    Array.from({ length: 10 }, async () => (await shop.post("/charges", params)).status),
  ).finally(release);
  assert.deepEqual(statuses, Array(10).fill(201));
  await Promise.all([holder, ...attempts]);
});
