import assert from "node:assert/strict";
import { test } from "node:test";
import type { TimelineEntry } from "@florin/contract/timeline.ts";
import { parseId, uuidOf } from "../../src/core/ids.ts";
import { fragment } from "../../src/platform/database/sql.ts";
import { type AdyenPayment, approvedCard, connectAdyen, pay, startAdyenShop } from "../adyen.ts";
import { createCheckout } from "../checkout.ts";
import { createConnectionClient } from "../connection.ts";
import { createPerson } from "../person.ts";
import { countLockWaits } from "../queue-behind.ts";
import { until } from "../until.ts";

const [first, next] = ["FieldwareECOM", "FieldwareNext"];
const { adyen, shop } = await startAdyenShop({
  // Turns on the limit of declines per card.
  rateLimit: 1_000,
});
const operator = await createPerson(shop, { operator: true, secondFactor: true });
const connections = createConnectionClient(shop, operator);
const merchant = await connectAdyen(shop, adyen, { merchantAccount: first, priority: 1 });
const second = await connectAdyen(shop, adyen, { merchant, merchantAccount: next, priority: 2 });
const { account, key } = merchant;

/**
 * Sets the response code with which the issuers refuse all payments: 2 is `05 : Do not honor`, 12 is insufficient
 * funds.
 */
const refuse = (merchantAccount: string, refusesWith: number | null) =>
  adyen.control(`PUT accounts/${merchantAccount}`, { refusesWith });

async function cascade(cascade_declines: boolean) {
  const path = `/operator/v1/accounts/${account}/routing_rules`;
  const { version } = (await operator.send("GET", path)).body;
  const body = { version, rules: [], cascade_declines, reason: "Agreed with the merchant." };
  const reply = await operator.send("PUT", path, body);
  assert.equal(reply.body.cascade_declines, cascade_declines, reply.text);
}

const cards = [
  ...["4988438843884305", "4166676667666746", "4646464646464644", "4000620000000007"],
  ...["4000060000000006", "5577000055770004", "5136333333333335", "2222410740360010"],
];

/** Returns a card that has not been declined yet. */
const unusedCard = () => ({ ...approvedCard, number: cards.pop() as string });

type Payment = AdyenPayment & { readonly merchantAccount: string };

/** Pays in a new session. Returns the charge, and the merchant accounts that received a payment. */
async function payOnce(card = unusedCard()) {
  const browser = await createCheckout(shop, {}, key);
  await pay(browser, card);
  const { data } = (await shop.get(`/charges?checkout_session_id=${browser.session}`, { as: key }))
    .body;
  const payments = (await adyen.payments(`reference=${data[0].id}`)) as readonly Payment[];
  return { charge: data[0], accounts: payments.map(({ merchantAccount }) => merchantAccount) };
}

/** Waits until the first acquirer's notifications about the charge are handled. Returns their states. */
async function notificationStates(charge: string): Promise<string[]> {
  const path = `/operator/v1/connections/${merchant.connection}/notifications`;
  const statesOf = async (): Promise<string[]> =>
    (await operator.send("GET", path)).body.data
      .filter(({ reference }: { reference: string }) => reference === charge)
      .map(({ state }: { state: string }) => state);
  return until(statesOf, (states) => states.length > 0 && !states.includes("pending"));
}

test("a declined charge is not sent again unless the account has opted in", async () => {
  await refuse(first, 2);
  const { charge, accounts } = await payOnce();
  assert.deepEqual([charge.status, accounts], ["failed", [first]]);
});

test("a declined charge of an account that has opted in is paid over the next connection", async () => {
  await cascade(true);
  const { charge, accounts } = await payOnce();
  assert.equal(charge.status, "succeeded");
  assert.deepEqual(accounts.toSorted(), [first, next]);
  const { entries, route } = (await shop.get(`/charges/${charge.id}/timeline`, { as: key })).body;
  const rerouted = entries.find(({ type }: TimelineEntry) => type === "charge.rerouted");
  assert.equal(rerouted.reason, "generic_decline");
  assert.deepEqual(
    route.connections.map(({ result }: { result: string }) => result),
    ["declined", "used"],
  );
});

test("the first acquirer's notification about the decline changes nothing and needs no operator", async () => {
  const { charge } = await payOnce();
  await adyen.repeatNotifications("pending");
  assert.deepEqual(await notificationStates(charge.id), ["ignored"]);
  assert.equal((await shop.get(`/charges/${charge.id}`, { as: key })).body.status, "succeeded");
});

test("a decline that is being applied while the charge moves to the next connection does not end the charge", async () => {
  const nextAssignment = parseId("asg", second.assignment);
  assert(nextAssignment);
  // Only the notification, which is sent below, reports the decline.
  await adyen.fault("payments", "cut_before_response", { merchantAccount: first });
  await adyen.fault("payments", "lost_notification", { merchantAccount: first });
  const { charge } = await payOnce();
  assert.equal(charge.status, "processing");
  const { database } = shop.app;
  const ofCharge = fragment`account_id = ${uuidOf(account)} and livemode and id = ${uuidOf(charge.id)}`;
  // Locks the charge, as the service does when it sends the charge over the next connection. The notification's job
  // has read the charge when it waits for this lock to record the decline.
  await database.transaction(async (tx) => {
    await tx`select id from charges where ${ofCharge} for update`;
    await adyen.repeatNotifications("lost");
    await until(
      () => countLockWaits(database),
      (count) => count > 0,
    );
    await tx`
      update charges
         set version = version + 1, assignment_id = ${uuidOf(nextAssignment)}
       where ${ofCharge}
    `;
  });
  await notificationStates(charge.id);
  const { status } = (await shop.get(`/charges/${charge.id}`, { as: key })).body;
  assert.notEqual(status, "failed");
});

test("a charge that both acquirers decline fails with the second decline, and is sent no more", async () => {
  await refuse(next, 9);
  const { charge, accounts } = await payOnce();
  assert.deepEqual([charge.status, charge.decline_code], ["failed", "issuer_not_available"]);
  assert.deepEqual(accounts.toSorted(), [first, next]);
  await refuse(next, null);
});

test("a charge that the second acquirer does not process fails with the first decline", async () => {
  await adyen.fault("payments", "too_many_requests", { merchantAccount: next, times: 3 });
  const { charge, accounts } = await payOnce();
  assert.deepEqual([charge.status, charge.decline_code], ["failed", "generic_decline"]);
  assert.deepEqual(accounts, [first]);
});

test("a charge that is declined for a definite reason is not sent again", async () => {
  await refuse(first, 12);
  const { charge, accounts } = await payOnce();
  assert.deepEqual([charge.decline_code, accounts], ["insufficient_funds", [first]]);
  await refuse(first, 2);
});

test("a declined charge is not sent over a suspended connection", async () => {
  await connections.change("POST", second.connection, "suspend");
  const { charge, accounts } = await payOnce();
  assert.deepEqual([charge.status, accounts], ["failed", [first]]);
  await connections.change("POST", second.connection, "resume");
});

test("the declines of both connections count toward the card's limit, and a card at the limit is declined by the service", async () => {
  const card = { ...approvedCard, number: "5555444433331111" };
  await refuse(next, 2);
  const sent: number[] = [];
  for (let charges = 0; charges < 6; charges++) sent.push((await payOnce(card)).accounts.length);
  // Two attempts for each charge, until the card has eight declines in a day.
  assert.deepEqual(sent, [2, 2, 2, 2, 0, 0]);
});
