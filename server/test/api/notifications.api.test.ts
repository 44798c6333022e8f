import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type AccountId, newId, parseId, uuidOf } from "../../src/core/ids.ts";
import type { SecretKey } from "../../src/identity/api-keys/key-text.ts";
import { createPerson, type TestPerson } from "../person.ts";
import { errorOf, startShop, until } from "../shop.ts";
import { hour, minute } from "../test-clock.ts";

const shop = await startShop();
after(() => shop.close());
const { database } = shop.app;

async function openDispute(as: SecretKey): Promise<string> {
  const visa = { amount: 4_200, currency: "usd", payment_method_id: "pm_card_visa" };
  const { body: charge } = await shop.post("/charges", visa, { as });
  const opened = await shop.post("/test_helpers/disputes", { charge_id: charge.id }, { as });
  assert.equal(opened.status, 201, opened.text);
  return opened.body.id;
}

const notificationsOf = async (person: TestPerson, query = "?limit=100") =>
  (await person.api("GET", `/notifications${query}`)).body.data;

/** Waits until the bell lists this number of notifications. */
const untilListed = (person: TestPerson, count: number) =>
  until(
    () => notificationsOf(person),
    (list) => list.length === count,
  );

/** Waits until the account has this number of notifications. Their types are returned, oldest first. */
async function untilStored(account: AccountId, count: number): Promise<string[]> {
  const rows = await until(
    () => database.read<{ type: string }>`
      select type from team_notifications where account_id = ${uuidOf(account)} order by id`,
    (stored) => stored.length === count,
  );
  return rows.map(({ type }) => type);
}

async function subjectsTo({ email }: TestPerson): Promise<string[]> {
  const rows = await database.read<{ subject: string }>`
    select subject from mails where recipient = ${email} order by id`;
  return rows.map(({ subject }) => subject);
}

/** Sets the start of the current series of failures, as the delivery worker does. */
async function failSince(account: AccountId, endpoint: string, since: Date | null) {
  const id = parseId("we", endpoint);
  assert(id);
  await database.transaction(
    (tx) => tx`update webhook_endpoints set failing_since = ${since}
      where account_id = ${uuidOf(account)} and id = ${uuidOf(id)}`,
  );
}

test("a dispute is listed once for everyone who may see disputes, and emailed once to those who may respond", async () => {
  const { account, key } = await shop.createMerchant();
  const [owner, support, analyst] = await Promise.all([
    createPerson(shop, { account }),
    createPerson(shop, { account, role: "support" }),
    createPerson(shop, { account, role: "analyst" }),
  ]);
  const muted = await createPerson(shop, { account, role: "support" });
  const chosen = await muted.api("POST", "/notification_preferences", { disputes: false });
  assert.deepEqual([chosen.body.disputes, chosen.body.payouts], [false, true]);
  assert.deepEqual((await muted.api("GET", "/notification_preferences")).body, chosen.body);

  const colored = await owner.api("POST", "/account/profile", { brand_color: "#a8481f" });
  assert.equal(colored.status, 200, colored.text);
  const dispute = await openDispute(key);
  const [notification] = await untilListed(owner, 1);
  const { type, object_id, amount, currency, read, livemode } = notification;
  assert.deepEqual(
    [type, object_id, amount, currency, read, livemode],
    ["dispute.opened", dispute, 4_200, "usd", false, false],
  );
  const second = await openDispute(key);
  const both = await untilListed(owner, 2);
  assert.deepEqual(
    both.map((one: { object_id: string }) => one.object_id),
    [second, dispute],
  );
  for (const person of [support, analyst, muted]) {
    assert.equal((await notificationsOf(person)).length, 2);
  }
  const subject = "Dispute over 42.00 USD (test mode)";
  const [looks] = await database.read<{ brand: object; action: string; body: string }>`
    select brand, action, body from mails where recipient = ${owner.email} limit 1`;
  assert.deepEqual(looks?.brand, { name: "Fieldware", color: "#a8481f", logo: null });
  assert.equal(looks?.action, "View dispute");
  // The dashboard's cookie belongs to this host name and not to an IP address.
  assert.match(looks?.body ?? "", /http:\/\/localhost:\d+\/dashboard\/acct_/);
  assert.deepEqual(await subjectsTo(owner), [subject, subject]);
  assert.deepEqual(await subjectsTo(support), [subject, subject]);
  assert.deepEqual(await subjectsTo(analyst), []);
  assert.deepEqual(await subjectsTo(muted), []);
});

test("notifications are read by each person separately, and new ones are unread", async () => {
  const { account, key } = await shop.createMerchant();
  const [one, other] = [
    await createPerson(shop, { account }),
    await createPerson(shop, { account }),
  ];
  await openDispute(key);
  await untilListed(one, 1);
  shop.clock.advance(1_000);
  assert.equal((await one.api("POST", "/notifications/read", {})).status, 200);
  const readBy = async (person: TestPerson) =>
    (await notificationsOf(person)).map(({ read }: { read: boolean }) => read);
  assert.deepEqual(await readBy(one), [true]);
  assert.deepEqual(await readBy(other), [false]);
  shop.clock.advance(1_000);
  await openDispute(key);
  await untilListed(one, 2);
  assert.deepEqual(await readBy(one), [false, true]);
});

test("an endpoint that keeps failing, or fails again within a day, causes one notification and one email", async () => {
  const { account, key } = await shop.createMerchant();
  const owner = await createPerson(shop, { account });
  const url = "https://shop.example/hooks";
  const { id } = (await shop.post("/webhook_endpoints", { url }, { as: key })).body;
  const now = () => shop.clock.now().getTime();
  await failSince(account, id, new Date(now() - 10 * minute));
  const dispute = await openDispute(key);
  // The notification of the dispute shows that the job has run without creating a notification about the endpoint.
  const [first] = await untilListed(owner, 1);
  assert.equal(first.object_id, dispute);

  shop.clock.advance(6 * minute);
  const [failing] = await untilListed(owner, 2);
  assert.deepEqual(
    [failing.type, failing.object_id, failing.url],
    ["webhook_endpoint.failing", id, url],
  );

  const endOfTurn = async (count: number) => {
    await openDispute(key);
    return untilStored(account, count);
  };
  // The session would expire while the clock is advanced, so the notifications are read from the database.
  shop.clock.advance(30 * hour);
  await endOfTurn(3);
  await failSince(account, id, null);
  await failSince(account, id, new Date(now() - 20 * minute));
  await endOfTurn(5);
  await failSince(account, id, null);
  await failSince(account, id, new Date(now() - 20 * minute));
  const types = await endOfTurn(6);
  assert.equal(types.filter((type) => type === "webhook_endpoint.failing").length, 2);
  const subjects = (await subjectsTo(owner)).filter((subject) => /endpoint/.test(subject));
  const failed = "A webhook endpoint is failing (test mode)";
  assert.deepEqual(subjects, [failed, failed]);
});

test("of many disputes within an hour, all are listed and ten are emailed", async () => {
  const { account, key } = await shop.createMerchant();
  const owner = await createPerson(shop, { account });
  for (let count = 0; count < 12; count++) await openDispute(key);
  await untilListed(owner, 12);
  assert.equal((await subjectsTo(owner)).length, 10);
  shop.clock.advance(2 * hour);
  await openDispute(key);
  await untilStored(account, 13);
  assert.equal((await subjectsTo(owner)).length, 11);
});

test("a failed payout is listed only for roles that may see the balance", async () => {
  const { account } = await shop.createMerchant();
  const [analyst, support] = [
    await createPerson(shop, { account, role: "analyst" }),
    await createPerson(shop, { account, role: "support" }),
  ];
  const id = uuidOf(newId("tn", shop.clock.now()));
  await database.transaction(
    (tx) => tx`insert into team_notifications (account_id, id, livemode, type, object_id, details)
      values (${uuidOf(account)}, ${id}, false, 'payout.failed', ${id}, '{"amount":100,"currency":"usd"}')`,
  );
  assert.equal((await notificationsOf(analyst)).length, 1);
  assert.deepEqual(await notificationsOf(support), []);
});

test("403: keys have no notifications", async () => {
  const rejected = await shop.get("/notifications");
  assert.deepEqual(errorOf(rejected), [403, "invalid_request_error", "permission_denied"]);
});

test("422: an Idempotency-Key of one person's preferences or notifications is not another person's", async () => {
  const { account } = await shop.createMerchant();
  const [ada, eve] = await Promise.all([
    createPerson(shop, { account }),
    createPerson(shop, { account, role: "support" }),
  ]);
  for (const [path, body] of [
    ["/notification_preferences", { disputes: false }],
    ["/notifications/read", {}],
  ] as const) {
    const send = (person: TestPerson) =>
      person.api("POST", path, body, false, { "idempotency-key": path });
    const first = await send(ada);
    assert.equal(first.status, 200);
    assert.equal((await send(ada)).text, first.text);
    const rejected = await send(eve);
    assert.deepEqual(errorOf(rejected), [422, "idempotency_error", "idempotency_key_in_use"]);
  }
  const { body: preferences } = await eve.api("GET", "/notification_preferences");
  assert.equal(preferences.disputes, true);
});
