import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { AccountId } from "../../src/core/ids.ts";
import { readAccount } from "../../src/identity/accounts/account.sql.ts";
import type { SecretKey } from "../../src/identity/api-keys/key-text.ts";
import { startReceipts } from "../../src/payments/receipts/receipt.jobs.ts";
import type { Mail } from "../../src/platform/mail/mail.ts";
import { createCheckout } from "../checkout.ts";
import { createPerson, type TestPerson } from "../person.ts";
import { countLockWaits } from "../queue-behind.ts";
import { errorOf, startShop, until } from "../shop.ts";
import { day, skipEndOfDay } from "../test-clock.ts";

const sent: Mail[] = [];
const shop = await startShop({ sendMail: async (mail) => void sent.push(mail) });
after(() => shop.close());
skipEndOfDay(shop.clock);
const { database } = shop.app;

type Team = { readonly owner: TestPerson; readonly key: SecretKey };

/** Creates a merchant whose customers get receipts. In test mode, receipts are sent only to the team. */
async function createTeam({ receipts = true } = {}): Promise<Team> {
  const { account, key } = await shop.createMerchant();
  const owner = await createPerson(shop, { account });
  const reply = await shop.post("/account", { email_receipts: receipts }, { as: key });
  assert.deepEqual([reply.status, reply.body.email_receipts], [200, receipts]);
  shop.clock.advance(1_000);
  return { owner, key };
}

/** Pays a checkout session, and returns the charge's ID. */
async function pay({ key }: Team, params: object): Promise<string> {
  const checkout = await createCheckout(shop, params, key);
  assert.equal((await checkout.pay("4242424242424242")).status, 200);
  const session = await shop.get(`/checkout_sessions/${checkout.session}`, { as: key });
  return session.body.charge_id;
}

const receiptsOf = async ({ key }: Team) => (await shop.get("/receipts", { as: key })).body.data;
const mailsTo = ({ owner }: Team) => sent.filter(({ to }) => to === owner.email);

const untilSent = (team: Team, count: number) =>
  until(
    async () => mailsTo(team),
    (mails) => mails.length >= count,
  );

/** Waits until the job has read all payments up to now. */
async function endOfTurn(): Promise<void> {
  const team = await createTeam();
  await pay(team, { customer_email: team.owner.email });
  await untilSent(team, 1);
}

test("a payment and its refund get one receipt each, sent to the customer of the checkout session", async () => {
  const team = await createTeam();
  const { key, owner } = team;
  await owner.api("POST", "/account/profile", { support_email: "help@fieldware.example" });
  const charge = await pay(team, { customer_email: owner.email, locale: "de" });
  await untilSent(team, 1);
  const { id: refund } = (
    await shop.post("/refunds", { charge_id: charge, amount: 500 }, { as: key })
  ).body;
  const [receipt, refunded] = await untilSent(team, 2);
  assert.ok(receipt && refunded);
  assert.match(receipt.subject, /^Zahlungsbeleg von Fieldware, Nr\. [0-9A-Z]{4}-/);
  assert.match(receipt.text, /Gezahlter Betrag\t19,99\s\$/);
  assert.match(receipt.text, /Zahlungsmittel\tVisa •••• 4242/);
  assert.match(refunded.text, /Erstatteter Betrag\t5,00\s\$/);
  assert.deepEqual([receipt.replyTo, receipt.language], ["help@fieldware.example", "de"]);

  await endOfTurn();
  assert.equal(mailsTo(team).length, 2);
  const list = await receiptsOf(team);
  assert.deepEqual(
    list.map((one: { charge_id: string; refund_id: string | null; email: string }) => [
      one.charge_id,
      one.refund_id,
      one.email,
    ]),
    [
      [charge, refund, owner.email],
      [charge, null, owner.email],
    ],
  );
  assert.ok(receipt.subject.endsWith(list[1].number));
});

test("the customer of a hold gets a receipt of the captured amount, to the customer's address", async () => {
  const team = await createTeam();
  const as = team.key;
  const { body: customer } = await shop.post("/customers", { email: team.owner.email }, { as });
  const attached = await shop.post(
    "/payment_methods/pm_card_visa/attach",
    { customer_id: customer.id },
    { as },
  );
  const held = await shop.post(
    "/charges",
    {
      amount: 3_000,
      currency: "usd",
      payment_method_id: attached.body.id,
      customer_id: customer.id,
      capture_method: "manual",
    },
    { as },
  );
  assert.equal(held.body.status, "authorized", held.text);
  await endOfTurn();
  assert.equal(mailsTo(team).length, 0);
  await shop.post(`/charges/${held.body.id}/capture`, { amount: 1_250 }, { as });
  const [receipt] = await untilSent(team, 1);
  assert.match(receipt?.text ?? "", /Amount paid\t\$12\.50/);
});

test("nothing is sent while receipts are off, for earlier payments, or without an address", async () => {
  const team = await createTeam({ receipts: false });
  await pay(team, { customer_email: team.owner.email });
  shop.clock.advance(1_000);
  await shop.post("/account", { email_receipts: true }, { as: team.key });
  await pay(team, {});
  await endOfTurn();
  assert.equal(mailsTo(team).length, 0);
  assert.deepEqual(await receiptsOf(team), []);
});

test("in test mode with a mail server, a receipt is not sent to a person outside the team", async () => {
  const team = await createTeam();
  const charge = await pay(team, { customer_email: "stranger@example.com" });
  await endOfTurn();
  assert.equal(sent.filter(({ to }) => to === "stranger@example.com").length, 0);
  assert.deepEqual(await receiptsOf(team), []);
  const requested = await shop.post("/receipts", { charge_id: charge }, { as: team.key });
  assert.deepEqual(errorOf(requested).slice(2), ["parameter_invalid", "email"]);
});

test("a crash between the claim of a receipt and its email neither loses nor repeats the receipt", async () => {
  const team = await createTeam();
  // Ends the connection of the job after the receipt was inserted, as a crash of the process does.
  const connection = await database.connect();
  await connection.query(`
    create sequence crashes;
    create function crash() returns trigger language plpgsql as $$
    begin
      if nextval('crashes') <= 3 then
        perform pg_terminate_backend(pg_backend_pid());
      end if;
      return new;
    end $$;
    create trigger crash before insert on mails for each row execute function crash()`);
  await pay(team, { customer_email: team.owner.email });
  await untilSent(team, 1);
  const { rows } = await connection.query("select last_value::int as times from crashes");
  assert.ok(rows[0].times >= 4, `${rows[0].times} attempts`);
  await connection.query("drop trigger crash on mails");
  await connection.end();
  await endOfTurn();
  assert.equal(mailsTo(team).length, 1);
  assert.equal((await receiptsOf(team)).length, 1);
});

test("two servers that find the same payment at the same time send one receipt", async () => {
  const team = await createTeam();
  const accounts = {
    get: async (id: AccountId) => (await readAccount(database.read, id)) ?? assert.fail(id),
  };
  const { clock, timers } = shop;
  const onError = (_: string, error: unknown) => assert.ifError(error);
  const other = startReceipts(
    { database, clock, accounts, testRecipients: "team" },
    { timers, onError },
  );
  const connection = await database.connect();
  // Locks the table before the payment, so that the jobs of both servers wait for each other's insert.
  await connection.query("begin; lock table receipts in share mode");
  await pay(team, { customer_email: team.owner.email });
  await until(
    () => countLockWaits(database, "insert into receipts"),
    (count) => count === 2,
  );
  await connection.query("commit");
  await connection.end();
  await other.stop();
  await untilSent(team, 1);
  await endOfTurn();
  assert.equal(mailsTo(team).length, 1);
});

test("201: a person sends the receipt of a payment again, which is audited without the address", async () => {
  const team = await createTeam({ receipts: false });
  const { owner } = team;
  const charge = await pay(team, { customer_email: owner.email });
  const reply = await owner.api("POST", "/receipts", { charge_id: charge });
  assert.equal(reply.status, 201, reply.text);
  const { charge_id, refund_id, email } = reply.body;
  assert.deepEqual([charge_id, refund_id, email], [charge, null, owner.email]);
  await untilSent(team, 1);
  const [listed] = await receiptsOf(team);
  assert.deepEqual(listed, reply.body);
  const [entry] = (await owner.api("GET", "/audit_log?limit=1")).body.data;
  assert.deepEqual([entry.action, entry.after], ["charge.receipt_sent", { receipt: listed.id }]);
});

test("400: a receipt requires a succeeded charge and an address", async () => {
  const { key: as } = await createTeam();
  const visa = { amount: 1_999, currency: "usd", payment_method_id: "pm_card_visa" };
  const { body: paid } = await shop.post("/charges", visa, { as });
  const { body: held } = await shop.post("/charges", { ...visa, capture_method: "manual" }, { as });
  const send = (body: object) => shop.post("/receipts", body, { as });
  const rejected = [400, "invalid_request_error"];
  assert.deepEqual(errorOf(await send({ charge_id: paid.id })), [
    ...rejected,
    "parameter_missing",
    "email",
  ]);
  const early = await send({ charge_id: held.id, email: "ada@example.com" });
  assert.deepEqual(errorOf(early), [...rejected, "status_transition_invalid", "charge_id"]);
});

test("429: an address gets at most twenty receipts of test payments a day", async () => {
  const team = await createTeam();
  const charge = await pay(team, { customer_email: team.owner.email });
  await untilSent(team, 1);
  const send = () => shop.post("/receipts", { charge_id: charge }, { as: team.key });
  for (let count = 1; count < 20; count++) assert.equal((await send()).status, 201);
  const used = [429, "rate_limit_error", "mail_limit_exceeded"];
  assert.deepEqual(errorOf(await send()), used);
  // The payment gets no receipt on the next day either.
  const skipped = await pay(team, { customer_email: team.owner.email });
  await endOfTurn();
  shop.clock.advance(day);
  await endOfTurn();
  await untilSent(team, 20);
  assert.deepEqual(
    (await shop.get(`/receipts?charge_id=${skipped}`, { as: team.key })).body.data,
    [],
  );
  assert.equal(mailsTo(team).length, 20);
});
