import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browserAddress } from "../../src/identity/people/browser-address.ts";
import { type ChangedFields, createDevice, type Device } from "../device.ts";
import { createPerson, type TestPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";
import { minute } from "../test-clock.ts";

const shop = await startShop();
after(() => shop.close());

const origin = browserAddress(shop.url);
const post = (path: string, body?: unknown) =>
  shop.send("POST", `/auth/v1${path}`, { body, headers: { "sec-fetch-site": "same-origin" } });

let person: TestPerson;
let device: Device;
before(async () => {
  person = await createPerson(shop);
  device = await register(person);
});

async function register(owner: TestPerson): Promise<Device> {
  const added = createDevice(origin);
  const options = await owner.send("POST", "/auth/v1/passkeys/register_options");
  const credential = added.register(options.body.challenge);
  const reply = await owner.send("POST", "/auth/v1/passkeys", { name: "A key", credential });
  assert.equal(reply.status, 201);
  return added;
}

async function newChallenge(): Promise<string> {
  return (await post("/passkeys/sign_in_options")).body.challenge;
}

async function signIn(changes: ChangedFields = {}, challenge?: string) {
  const requested = challenge ?? (await newChallenge());
  return post("/passkeys/sign_in", { credential: device.authenticate(requested, changes) });
}

test("a passkey alone is sufficient to sign in, because it proves both possession and user verification", async () => {
  const reply = await signIn();
  assert.equal(reply.body.status, "complete");
  const cookie = (reply.headers.get("set-cookie") ?? "").split(";", 1)[0] as string;
  const { body: me } = await shop.send("GET", "/auth/v1/me", { headers: { cookie } });
  assert.deepEqual([me.email, me.session.second_factor], [person.email, true]);
  assert.deepEqual(me.second_factors, { totp: false, passkeys: 1, recovery_codes_left: 10 });
});

test("after a passkey is registered, the password alone does not sign in", async () => {
  const { email, password } = person;
  const half = await post("/sign_in", { email, password });
  assert.deepEqual(half.body.second_factors, ["passkey", "recovery_code"]);
});

test("rejects a replayed passkey response", async () => {
  const credential = device.authenticate(await newChallenge());
  const [first, second] = await Promise.all([
    post("/passkeys/sign_in", { credential }),
    post("/passkeys/sign_in", { credential }),
  ]);
  assert.deepEqual([first.status, second.status].sort(), [200, 401]);
});

test("rejects a passkey response for another origin, without user verification, or from a cloned authenticator", async () => {
  assert.equal((await signIn({ counter: 50 })).status, 200);
  const rejections: readonly ChangedFields[] = [
    { origin: "https://evil.example" },
    { userVerified: false },
    { counter: 50 },
    { counter: 49 },
  ];
  for (const changes of rejections) {
    const rejected = errorOf(await signIn({ counter: 60, ...changes }));
    assert.deepEqual(rejected, [401, "authentication_error", "sign_in_failed"]);
  }
  assert.equal((await signIn({ counter: 60 })).status, 200);
});

test("a challenge is valid for one purpose, one person and five minutes", async () => {
  const challenge = await person.send("POST", "/auth/v1/step_up/passkey_options");
  assert.equal((await signIn({}, challenge.body.challenge)).status, 401);

  const late = await newChallenge();
  shop.clock.advance(5 * minute);
  assert.equal((await signIn({}, late)).status, 401);
  assert.equal((await signIn({}, "made-up-by-somebody-else")).status, 401);

  const stranger = await createPerson(shop);
  const options = await stranger.send("POST", "/auth/v1/step_up/passkey_options");
  const credential = device.authenticate(options.body.challenge);
  const withOthersChallenge = await stranger.send("POST", "/auth/v1/step_up/passkey", {
    credential,
  });
  assert.equal(withOthersChallenge.body.error.code, "credentials_invalid");
});

test("a passkey completes a step-up", async () => {
  shop.clock.advance(8 * minute);
  assert.equal((await person.send("POST", "/auth/v1/recovery_codes")).status, 403);
  const { challenge } = (await person.send("POST", "/auth/v1/step_up/passkey_options")).body;
  const credential = device.authenticate(challenge);
  const reauthenticated = await person.send("POST", "/auth/v1/step_up/passkey", {
    credential,
  });
  assert.equal(reauthenticated.body.status, "complete");
  assert.equal((await person.send("POST", "/auth/v1/recovery_codes")).status, 201);
});

test("a passkey of another person cannot be registered, and a removed one cannot sign in", async () => {
  const other = await createPerson(shop);
  const options = await other.send("POST", "/auth/v1/passkeys/register_options");
  const credential = device.register(options.body.challenge);
  const taken = await other.send("POST", "/auth/v1/passkeys", { name: "Mine?", credential });
  assert.equal(taken.body.error.code, "resource_already_exists");
  assert.equal((await other.send("DELETE", `/auth/v1/passkeys/${device.id}`)).status, 404);

  assert.equal((await person.send("DELETE", `/auth/v1/passkeys/${device.id}`)).status, 200);
  assert.equal((await signIn()).status, 401);
});
