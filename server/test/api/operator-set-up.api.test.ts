import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { appointOperator } from "../../src/identity/people/appoint-operator.ts";
import { prepareOperatorSetup } from "../../src/identity/people/operator-setup.ts";
import { addAuthenticatorApp } from "../authenticator-app.ts";
import { createPerson } from "../person.ts";
import { startShop } from "../shop.ts";
import { hour } from "../test-clock.ts";

const shop = await startShop();
after(() => shop.close());
beforeEach(() =>
  shop.app.database.transaction((tx) => tx`update people set operator = false where operator`),
);

const prepare = () => prepareOperatorSetup({ database: shop.app.database, clock: shop.clock });
const send = (path: string, body: unknown) =>
  shop.send("POST", `/auth/v1${path}`, { body, headers: { "sec-fetch-site": "same-origin" } });
const grace = { email: "grace@example.com", name: "Grace", password: "a compiler, of course 1" };

test("only the first user to open the set-up link becomes the operator", async () => {
  const token = await prepare();
  const [first, second] = await Promise.all([
    send("/operator_set_up", { ...grace, token }),
    send("/operator_set_up", { ...grace, email: "other@example.com", token }),
  ]);
  assert.deepEqual([first.status, second.status].sort(), [200, 400]);
  const won = first.status === 200 ? first : second;
  const cookie = (won.headers.get("set-cookie") ?? "").split(";", 1)[0] as string;
  const { body: me } = await shop.send("GET", "/auth/v1/me", { headers: { cookie } });
  assert.equal(me.operator, true);
  assert.equal(await prepare(), null);
});

test("the link is valid for one day, and invalid after a restart", async () => {
  const [old, current] = [await prepare(), await prepare()];
  assert.equal((await send("/operator_set_up", { ...grace, token: old })).status, 400);
  shop.clock.advance(24 * hour);
  assert.equal((await send("/operator_set_up", { ...grace, token: current })).status, 400);
});

test("the link is invalid once an operator exists, however they were appointed", async () => {
  const token = await prepare();
  await createPerson(shop, { operator: true });
  const late = await send("/operator_set_up", { ...grace, email: "late@example.com", token });
  assert.equal(late.body.error.code, "link_invalid");
  assert.match(late.body.error.message, /^An operator already exists, .*`florin operator add`/);
  const person = await createPerson(shop);
  const joined = await person.send("POST", "/auth/v1/operator_set_up/join", { token });
  assert.equal(joined.body.error.code, "link_invalid");
  assert.equal((await person.send("GET", "/auth/v1/me")).body.operator, false);
});

test("a signed-in user becomes the operator with the link and keeps their second factor", async () => {
  const token = await prepare();
  const person = await createPerson(shop);
  const joined = await person.send("POST", "/auth/v1/operator_set_up/join", { token });
  assert.equal(joined.status, 200);
  assert.equal((await person.send("GET", "/auth/v1/me")).body.operator, true);
  await addAuthenticatorApp(shop, person);
  const removed = await person.send("DELETE", "/auth/v1/totp");
  assert.equal(removed.body.error.code, "second_factor_required");
  const { body: me } = await person.send("GET", "/auth/v1/me");
  assert.deepEqual([me.second_factors.totp, me.second_factors.recovery_codes_left], [true, 10]);
});

test("the `florin operator` command appoints an operator and resets a lost second factor", async () => {
  const deps = { database: shop.app.database, clock: shop.clock };
  const person = await createPerson(shop);
  assert.equal(await appointOperator(deps, "add", "unregistered@example.com"), false);
  assert.equal(await appointOperator(deps, "add", person.email.toUpperCase()), true);
  assert.equal((await person.send("GET", "/auth/v1/me")).body.operator, true);

  await addAuthenticatorApp(shop, person);
  assert.equal(await appointOperator(deps, "reset", person.email), true);
  assert.equal((await person.send("GET", "/auth/v1/me")).status, 401);
  const { email, password } = person;
  const signedIn = await send("/sign_in", { email, password });
  assert.equal(signedIn.body.status, "complete");

  const entries = await shop.app.database.read<{ entry: string }>`
    select entry from audit_log where account_id = '00000000-0000-0000-0000-000000000000' order by number
  `;
  const own = entries
    .map(({ entry }) => JSON.parse(entry))
    .filter((entry) => entry.object_id === person.id);
  assert.deepEqual(
    own.map(({ action }) => action),
    [
      "operator.added",
      "person.second_factor_added",
      "operator.second_factor_reset",
      "person.signed_in",
    ],
  );
});
