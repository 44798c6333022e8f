import assert from "node:assert/strict";
import { after, test } from "node:test";
import { reported } from "../application.ts";
import { createPerson, type TestPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";
import { hour, minute } from "../test-clock.ts";

const shop = await startShop({ workers: false });
after(() => shop.close());

const stale = [403, "invalid_request_error", "step_up_required"];

async function charge(amount: number, currency: string): Promise<string> {
  const visa = { amount, currency, payment_method_id: "pm_card_visa" };
  const { status, body, text } = await shop.post("/charges", visa);
  assert.equal(status, 201, text);
  return body.id;
}

/** Creates a person whose last authentication is more than ten minutes old. */
async function createStalePerson(): Promise<TestPerson> {
  const person = await createPerson(shop);
  shop.clock.advance(11 * minute);
  return person;
}

const reauthenticate = ({ send, password }: TestPerson) =>
  send("POST", "/auth/v1/step_up", { password });

test("403: payouts, account settings and the bank account require a step-up from people, and not from keys", async () => {
  const person = await createStalePerson();
  const entries = [
    ["/payouts", { amount: 1_000, currency: "usd" }],
    ["/account", { allowed_origins: ["https://shop.example"] }],
    ["/account", { payout_schedule: "daily" }],
    ["/account/profile", { support_email: "help@fieldware.example" }],
    ["/application/bank_account", reported.bank_account],
  ] as const;
  for (const [path, body] of entries) {
    assert.deepEqual(errorOf(await person.api("POST", path, body)), stale, path);
  }
  await reauthenticate(person);
  for (const [path, body] of entries) {
    assert.notEqual((await person.api("POST", path, body)).status, 403, path);
  }
  assert.equal((await shop.post("/account", { payout_schedule: "manual" })).status, 200);
});

test("403: small refunds by one person are summed over 24 hours per currency", async () => {
  const [person, other] = [await createPerson(shop), await createPerson(shop)];
  shop.clock.advance(11 * minute);
  const [dollars, euros] = [await charge(90_000, "usd"), await charge(90_000, "eur")];
  const refund = (by: TestPerson, charge_id: string) =>
    by.api("POST", "/refunds", { charge_id, amount: 10_000 });

  for (let count = 0; count < 4; count++) {
    assert.equal((await refund(person, dollars)).status, 201);
  }
  assert.deepEqual(errorOf(await refund(person, dollars)), stale);
  assert.equal((await refund(person, euros)).status, 201);
  assert.equal((await refund(other, dollars)).status, 201);
  assert.equal((await shop.post("/refunds", { charge_id: dollars, amount: 10_000 })).status, 201);

  await reauthenticate(person);
  assert.equal((await refund(person, dollars)).status, 201);
});

test("403: of many concurrent refunds, only those below the limit are created", async () => {
  const person = await createStalePerson();
  const charges = [];
  for (let count = 0; count < 12; count++) charges.push(await charge(10_000, "usd"));
  const replies = await Promise.all(
    charges.map((charge_id) => person.api("POST", "/refunds", { charge_id })),
  );
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [
    ...Array(4).fill(201),
    ...Array(8).fill(403),
  ]);
});

test("201: refunds older than 24 hours are not summed", async () => {
  const person = await createPerson(shop);
  const id = await charge(90_000, "usd");
  const body = { charge_id: id, amount: 40_000 };
  assert.equal((await person.api("POST", "/refunds", body)).status, 201);
  shop.clock.advance(11 * minute);
  assert.deepEqual(errorOf(await person.api("POST", "/refunds", body)), stale);
  shop.clock.advance(24 * hour);
  const { email, password } = person;
  const signedIn = await person.send("POST", "/auth/v1/sign_in", { email, password });
  assert.equal(signedIn.status, 200);
  shop.clock.advance(11 * minute);
  assert.equal((await person.api("POST", "/refunds", body)).status, 201);
});

for (const [currency, below, limit] of [
  ["usd", 49_999, 50_000],
  ["jpy", 74_999, 75_000],
  ["krw", 749_999, 750_000],
  ["kwd", 149_999, 150_000],
] as const) {
  test(`403: a refund of ${limit} in ${currency} requires a step-up, and one of ${below} does not`, async () => {
    const person = await createStalePerson();
    const charge_id = await charge(900_000, currency);
    const whole = await person.api("POST", "/refunds", { charge_id, amount: limit });
    assert.deepEqual(errorOf(whole), stale);
    const part = await person.api("POST", "/refunds", { charge_id, amount: below });
    assert.equal(part.status, 201);
  });
}
