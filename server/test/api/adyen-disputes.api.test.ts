import assert from "node:assert/strict";
import { test } from "node:test";
import { type ConnectionId, uuidOf } from "../../src/core/ids.ts";
import { acquirerNotificationPath } from "../../src/payments/notifications/receive-notifications.routes.ts";
import { connectAdyen, pay, startAdyenShop } from "../adyen.ts";
import { createCheckout } from "../checkout.ts";
import { queueBehind } from "../queue-behind.ts";
import { errorOf } from "../shop.ts";
import { day, second } from "../test-clock.ts";
import { until } from "../until.ts";

const { adyen, shop } = await startAdyenShop({
  databasePool: 8,
});
const { key, connection } = await connectAdyen(shop, adyen);

const evidence = { product_description: "A blue mug.", customer_name: "Zoë Łukasz" };

type DisputeId = `dp_${string}`;

/** A dispute at the fake. */
type AdyenDispute = {
  readonly pspReference: string;
  readonly status: string;
  readonly defenseReasonCode: string | null;
  readonly documents: readonly { readonly typeCode: string; readonly contentType: string }[];
};

const read = async (id: string) => (await shop.get(`/disputes/${id}`, { as: key })).body;
const respond = (id: string, body: object = evidence) =>
  shop.post(`/disputes/${id}/evidence`, body, { as: key });
const accept = (id: string) => shop.post(`/disputes/${id}/accept`, {}, { as: key });

/** Pays in a new session, and opens a dispute of the payment at Adyen. */
async function openDispute(options: object = {}) {
  const browser = await createCheckout(shop, {}, key);
  await pay(browser);
  const charge = await until(
    async () => {
      const { data } = (await shop.get("/charges?limit=20", { as: key })).body;
      return data.find((one: { checkout_session_id: string }) => {
        return one.checkout_session_id === browser.session;
      });
    },
    (found) => found?.status === "succeeded",
  );
  const { pspReference } = (await adyen.paymentOf(charge.id)) as unknown as AdyenDispute;
  const body = { payment: pspReference, reasonCode: "13.1", ...options };
  const { dispute } = await adyen.control<{ dispute: AdyenDispute }>("POST disputes", body);
  const { data } = await until(
    async () => (await shop.get(`/disputes?charge_id=${charge.id}`, { as: key })).body,
    (list) => list.data.length === 1,
  );
  const id: DisputeId = data[0].id;
  return { id, charge: charge.id as string, reference: dispute.pspReference };
}

const openInquiry = (options: object = {}) =>
  openDispute({ stage: "request_for_information", ...options });

async function disputeAtAdyen(reference: string): Promise<AdyenDispute> {
  const query = `GET disputes?pspReference=${reference}`;
  const { disputes } = await adyen.control<{ disputes: AdyenDispute[] }>(query);
  assert.equal(disputes.length, 1);
  return disputes[0] as AdyenDispute;
}

/** Returns the number of requests about the dispute to an endpoint of the fake. */
async function requestsAbout(reference: string, endpoint: string): Promise<number> {
  const { requests } = await adyen.control<{ requests: Record<string, string>[] }>("GET requests");
  return requests.filter((one) => one.reference === reference && one.endpoint === endpoint).length;
}

async function responseOf(id: DisputeId): Promise<{ due: Date | null; attempts: number }> {
  const [row] = await shop.app.database.read<{ due: Date | null; attempts: number }>`
    select response_due_at as due, response_attempts as attempts
      from disputes where id = ${uuidOf(id)}`;
  assert(row);
  return row;
}

/** Waits until no response to the network is due for the dispute. */
const responded = (id: DisputeId) =>
  until(
    () => responseOf(id),
    ({ due }) => due === null,
  );

/** Waits until the attempt with this number is counted and its request has reached Adyen. Lets its lease expire. */
async function expireAttempt(id: DisputeId, reference: string, endpoint: string, attempt: number) {
  await until(
    () => responseOf(id),
    ({ attempts }) => attempts === attempt,
  );
  await until(
    () => requestsAbout(reference, endpoint),
    (count) => count >= attempt,
  );
  shop.clock.advance(91 * second);
}

const typesOf = async (id: DisputeId) => {
  const { data } = (await shop.get("/events?limit=100", { as: key })).body;
  return data
    .filter((event: { data: { object: { id: string } } }) => event.data.object.id === id)
    .map(({ type }: { type: string }) => type)
    .reverse();
};

test("evidence is submitted as a PDF with the defense for the dispute's reason, and wins the chargeback", async () => {
  const { id, reference } = await openDispute();
  assert.equal((await respond(id)).body.status, "under_review");
  const won = await until(
    () => read(id),
    ({ status }) => status === "won",
  );
  assert.deepEqual([won.evidence, won.response_problem], [evidence, null]);
  const { status, defenseReasonCode, documents } = await disputeAtAdyen(reference);
  assert.deepEqual([status, defenseReasonCode], ["Pending", "SupplyDefenseMaterial"]);
  assert.deepEqual(
    documents.map(({ typeCode, contentType }) => [typeCode, contentType]),
    [["DefenseMaterial", "application/pdf"]],
  );
  assert.equal(await requestsAbout(reference, "defend_dispute"), 1);
  assert.equal(await requestsAbout(reference, "accept_dispute"), 0);
});

test("if a defense accepts alternative documents, only one of them is supplied", async () => {
  const { id, reference } = await openDispute({ reasonCode: "10.4" });
  await respond(id);
  await until(
    () => read(id),
    ({ status }) => status === "won",
  );
  const { defenseReasonCode, documents } = await disputeAtAdyen(reference);
  assert.equal(defenseReasonCode, "CompellingEvidence");
  assert.equal(documents.length, 1);
});

test("an accepted dispute is accepted once at Adyen and stays lost", async () => {
  const { id, reference } = await openDispute();
  assert.equal((await accept(id)).body.status, "lost");
  await responded(id);
  assert.equal((await disputeAtAdyen(reference)).status, "Accepted");
  assert.equal(await requestsAbout(reference, "accept_dispute"), 1);
  assert.equal(await requestsAbout(reference, "defend_dispute"), 0);
  const { status, response_problem } = await read(id);
  assert.deepEqual([status, response_problem], ["lost", null]);
});

test("evidence whose response was lost is confirmed by Adyen's notification and not sent again", async () => {
  const { id, reference } = await openInquiry();
  await adyen.fault("defend_dispute", "cut_before_response");
  await respond(id);
  await responded(id);
  shop.clock.advance(91 * second);
  assert.equal((await disputeAtAdyen(reference)).status, "Responded");
  assert.equal(await requestsAbout(reference, "defend_dispute"), 1);
  assert.deepEqual(
    [(await read(id)).status, await typesOf(id)],
    ["under_review", ["dispute.opened"]],
  );
});

test("a rejection of repeated evidence is ignored, and the delayed notification confirms the first attempt", async () => {
  const { id, reference } = await openInquiry();
  await adyen.fault("defend_dispute", "cut_before_response");
  await adyen.fault("disputes", "lost_notification");
  await respond(id);
  await expireAttempt(id, reference, "defend_dispute", 1);
  await until(
    () => responseOf(id),
    ({ attempts }) => attempts === 2,
  );
  assert.equal((await disputeAtAdyen(reference)).status, "Responded");
  const { status, response_problem } = await read(id);
  assert.deepEqual([status, response_problem], ["under_review", null]);
  const { notifications } = await adyen.control<{ notifications: { id: string }[] }>(
    "GET notifications?state=lost",
  );
  assert.equal(notifications.length, 1);
  await adyen.control(`POST notifications/${notifications[0]?.id}/send`);
  await responded(id);
  assert.equal((await read(id)).status, "under_review");
});

test("evidence that Adyen did not receive is sent again", async () => {
  const { id, reference } = await openInquiry();
  await adyen.fault("defend_dispute", "cut_before_response", { processed: false });
  await respond(id);
  await expireAttempt(id, reference, "defend_dispute", 1);
  await responded(id);
  assert.equal((await disputeAtAdyen(reference)).status, "Responded");
  assert.equal(await requestsAbout(reference, "defend_dispute"), 2);
});

test("a failure before the defense does not count as an attempt", async () => {
  const { id, reference } = await openInquiry();
  await adyen.fault("disputes", "html_502");
  await respond(id);
  await until(
    () => requestsAbout(reference, "disputes"),
    (count) => count === 1,
  );
  await until(
    () => responseOf(id),
    ({ attempts }) => attempts === 0,
  );
  shop.clock.advance(91 * second);
  await responded(id);
  assert.equal((await disputeAtAdyen(reference)).status, "Responded");
  assert.equal(await requestsAbout(reference, "defend_dispute"), 1);
});

test("an acceptance whose response was lost is sent again, and a rejection of the second request changes nothing", async () => {
  const { id, reference } = await openDispute();
  await adyen.fault("accept_dispute", "cut_before_response");
  await accept(id);
  await expireAttempt(id, reference, "accept_dispute", 1);
  await responded(id);
  assert.equal((await disputeAtAdyen(reference)).status, "Accepted");
  const { status, response_problem } = await read(id);
  assert.deepEqual([status, response_problem], ["lost", null]);
});

test("evidence is rejected if no defense fits, and the error lists the defenses that Adyen offers", async () => {
  const { id, reference } = await openDispute({ defenseReasons: ["ShippedToAVS"] });
  await respond(id);
  const rejected = await until(
    () => read(id),
    ({ status }) => status === "needs_response",
  );
  assert.match(rejected.response_problem, /ShippedToAVS/);
  assert.deepEqual(rejected.evidence, evidence);
  assert.deepEqual(await typesOf(id), ["dispute.opened", "dispute.response_rejected"]);
  assert.equal(await requestsAbout(reference, "defend_dispute"), 0);
  // The merchant responds in Adyen's Customer Area instead.
  await adyen.control(`POST disputes/${reference}/events`, { eventCode: "INFORMATION_SUPPLIED" });
  const confirmed = await until(
    () => read(id),
    ({ status }) => status === "under_review",
  );
  assert.equal(confirmed.response_problem, null);
});

test("evidence that is too long for an inquiry is rejected, corrected and submitted again", async () => {
  const { id, reference } = await openInquiry();
  await respond(id, { customer_communication: "Hello.\n".repeat(1000) });
  const rejected = await until(
    () => read(id),
    ({ status }) => status === "needs_response",
  );
  assert.match(rejected.response_problem, /may have at most 4\. Shorten it/);
  const again = await respond(id);
  assert.deepEqual(
    [again.body.status, again.body.response_problem, again.body.evidence],
    ["under_review", null, evidence],
  );
  await responded(id);
  assert.equal((await disputeAtAdyen(reference)).status, "Responded");
});

test("the end of the defense period proves that evidence with an unknown outcome did not arrive", async () => {
  const { id, reference } = await openDispute();
  await adyen.fault("defend_dispute", "cut_before_response", { processed: false, times: 9 });
  await respond(id);
  await until(
    () => requestsAbout(reference, "defend_dispute"),
    (count) => count === 1,
  );
  await adyen.control("POST clock", { advanceMs: 15 * day });
  const rejected = await until(
    () => read(id),
    ({ status }) => status === "needs_response",
  );
  assert.match(rejected.response_problem, /before its deadline/);
  await adyen.control("DELETE faults");
});

test("400: a dispute with submitted evidence cannot be accepted in live mode", async () => {
  const { id, reference } = await openInquiry();
  await respond(id);
  const rejected = await accept(id);
  assert.equal(errorOf(rejected)[2], "dispute_already_submitted");
  await responded(id);
  assert.equal((await disputeAtAdyen(reference)).status, "Responded");
  assert.equal(await requestsAbout(reference, "accept_dispute"), 0);
});

test("a full refund closes an inquiry, and the response to Adyen is evidence of the refund instead of an acceptance", async () => {
  const { id, charge, reference } = await openInquiry();
  const refund = await shop.post("/refunds", { charge_id: charge }, { as: key });
  assert.equal(refund.status, 201, refund.text);
  await until(
    () => read(id),
    ({ status }) => status === "won",
  );
  await responded(id);
  const { status, documents } = await disputeAtAdyen(reference);
  assert.deepEqual([status, documents.length], ["Responded", 1]);
  assert.equal(await requestsAbout(reference, "accept_dispute"), 0);
  assert.equal((await read(id)).status, "won");

  await adyen.control(`POST disputes/${reference}/events`, { eventCode: "CHARGEBACK" });
  const problem = "The acquirer turned a closed inquiry into a chargeback.";
  await until(
    () => shop.app.database.read`
      select from acquirer_notifications where state = 'review' and problem = ${problem}`,
    (found) => found.length === 1,
  );
  assert.equal((await read(id)).status, "won");
});

test("an inquiry that becomes a chargeback is debited, and needs a new response", async () => {
  const { id, reference } = await openInquiry();
  assert.equal((await respond(id)).status, 200);
  await responded(id);
  await adyen.control(`POST disputes/${reference}/events`, { eventCode: "CHARGEBACK" });
  const chargeback = await until(
    () => read(id),
    ({ is_inquiry }) => is_inquiry === false,
  );
  assert.deepEqual(
    [chargeback.status, chargeback.funds_withdrawn, chargeback.amount],
    ["needs_response", true, 1999],
  );
  assert.deepEqual(await typesOf(id), ["dispute.opened", "dispute.opened"]);
});

test("a late confirmation of the response to an inquiry does not put the chargeback under review", async () => {
  const { id, reference } = await openInquiry();
  await adyen.fault("disputes", "lost_notification");
  assert.equal((await respond(id)).status, 200);
  await responded(id);
  const { notifications } = await adyen.control<{ notifications: { id: string }[] }>(
    "GET notifications?state=lost",
  );
  await adyen.control(`POST disputes/${reference}/events`, { eventCode: "CHARGEBACK" });
  await until(
    () => read(id),
    ({ is_inquiry }) => is_inquiry === false,
  );
  await adyen.control(`POST notifications/${notifications.at(-1)?.id}/send`);
  await until(
    () => shop.app.database.read`
      select from acquirer_notifications
       where event_code = 'INFORMATION_SUPPLIED' and item ->> 'pspReference' = ${reference}
         and state = 'ignored'`,
    (found) => found.length === 1,
  );
  assert.equal((await read(id)).status, "needs_response");
});

test("the confirmation of a response to a chargeback waits for the chargeback if it arrives first", async () => {
  const { id, reference } = await openInquiry();
  await adyen.control("PUT accounts/FieldwareECOM", { delivery: "held" });
  for (const eventCode of ["CHARGEBACK", "INFORMATION_SUPPLIED"]) {
    await adyen.control(`POST disputes/${reference}/events`, { eventCode });
  }
  await adyen.control("PUT accounts/FieldwareECOM", { delivery: "automatic" });
  const { notifications } = await adyen.control<{ notifications: { id: string }[] }>(
    "GET notifications?state=held",
  );
  const [chargeback, confirmation] = notifications.slice(-2);
  const send = (one?: { id: string }) => adyen.control(`POST notifications/${one?.id}/send`);
  await send(confirmation);
  await until(
    () => shop.app.database.read<{ isRetried: boolean }>`
      select state <> 'pending' or due_at > received_at + interval '500 milliseconds' as "isRetried"
        from acquirer_notifications
       where event_code = 'INFORMATION_SUPPLIED' and item ->> 'pspReference' = ${reference}`,
    ([row]) => row?.isRetried === true,
  );
  const inquiry = await read(id);
  assert.deepEqual([inquiry.is_inquiry, inquiry.status], [true, "needs_response"]);

  await send(chargeback);
  await until(
    () => read(id),
    ({ is_inquiry }) => !is_inquiry,
  );
  await until(
    () => read(id),
    ({ status }) => status === "under_review",
  );
});

test("a dispute of a payment that is refunded in full is shown to an operator", async () => {
  const browser = await createCheckout(shop, {}, key);
  await pay(browser);
  const charges = async () => (await shop.get("/charges?limit=20", { as: key })).body.data;
  const paid = await until(
    async () =>
      (await charges()).find(
        (one: { checkout_session_id: string }) => one.checkout_session_id === browser.session,
      ),
    (found) => found?.status === "succeeded",
  );
  await shop.post("/refunds", { charge_id: paid.id }, { as: key });
  await until(
    async () => (await shop.get(`/charges/${paid.id}`, { as: key })).body,
    ({ refunded }) => refunded,
  );
  const { pspReference } = (await adyen.paymentOf(paid.id)) as unknown as AdyenDispute;
  await adyen.control("POST disputes", { payment: pspReference, reasonCode: "13.1" });
  const problems = () =>
    shop.app.database.read<{ problem: string }>`
      select problem from acquirer_notifications where state = 'review'`;
  await until(problems, (found) =>
    found.some(
      ({ problem }) =>
        problem === "The whole amount of the charge is already refunded or disputed.",
    ),
  );
  assert.equal((await shop.get(`/disputes?charge_id=${paid.id}`, { as: key })).body.data.length, 0);
});

test("a dispute that is won at Adyen while the merchant accepts it is shown to an operator", async () => {
  const { id, charge, reference } = await openDispute();
  await queueBehind<unknown>(shop.app.database, {
    lock: (tx) => tx`select from charges where id = ${uuidOf(charge as `ch_${string}`)} for update`,
    statement: "from charges",
    requests: [
      () => accept(id),
      () =>
        adyen.control(`POST disputes/${reference}/events`, { eventCode: "CHARGEBACK_REVERSED" }),
    ],
  });
  assert.equal((await read(id)).status, "lost");
  const problem = "The dispute is 'lost', but the acquirer reports 'won'.";
  await until(
    () => shop.app.database.read`
      select from acquirer_notifications where state = 'review' and problem = ${problem}`,
    (found) => found.length === 1,
  );
});

test("a response waits while the secrets of the connection cannot be decrypted, and is then sent once", async () => {
  const { id, reference } = await openInquiry();
  const { database } = shop.app;
  // The additional byte makes the ciphertext invalid. A session can be created only if the secrets can be decrypted, so
  // the 400 shows that the server has read the invalid ciphertext.
  await database.autocommit(
    (tx) => tx`update processor_connections set secrets = secrets || '\\x00'::bytea`,
  );
  const createSession = () =>
    shop.post("/checkout_sessions", { amount: 500, currency: "usd" }, { as: key });
  await until(createSession, ({ status }) => status === 400);
  assert.equal((await respond(id)).status, 200);
  await until(
    () => responseOf(id),
    ({ due, attempts }) => attempts === 0 && due !== null && due > shop.clock.now(),
  );
  const { status, response_problem } = await read(id);
  assert.deepEqual([status, response_problem], ["under_review", null]);

  await database.autocommit(
    (tx) => tx`update processor_connections set secrets = substr(secrets, 1, length(secrets) - 1)`,
  );
  await until(createSession, ({ status }) => status === 201);
  shop.clock.advance(91 * second);
  await responded(id);
  assert.equal((await disputeAtAdyen(reference)).status, "Responded");
  assert.equal((await read(id)).response_problem, null);
});

/** Retires the connection in the database, although it has open disputes. The API would reject this. */
async function retireInDatabase(): Promise<void> {
  const id = uuidOf(connection as ConnectionId);
  const { autocommit } = shop.app.database;
  await autocommit(
    (tx) => tx`update processor_connections set state = 'draining' where id = ${id}`,
  );
  const [row] = await autocommit(
    (tx) => tx<{ endpoint_key: string }>`
    update processor_connections
       set state = 'retired', secrets = null, previous_secrets = null, previous_secrets_until = null
     where id = ${id}
    returning endpoint_key`,
  );
  assert.ok(row);
  const headers = { "content-type": "application/json" };
  const url = `${shop.url}${acquirerNotificationPath(row.endpoint_key)}`;
  await until(
    async () => (await fetch(url, { method: "POST", headers, body: "{}" })).status,
    (status) => status === 404,
  );
}

test("400: a dispute cannot be responded to after its connection was retired", async () => {
  const { id } = await openDispute();
  const waiting = await openDispute();
  await adyen.fault("disputes", "html_502");
  await respond(waiting.id);
  await until(
    () => requestsAbout(waiting.reference, "disputes"),
    (count) => count === 1,
  );
  await until(
    () => responseOf(waiting.id),
    ({ attempts }) => attempts === 0,
  );
  await retireInDatabase();
  const rejected = await until(
    () => accept(id),
    ({ status }) => status !== 503,
  );
  assert.equal(errorOf(rejected)[2], "dispute_response_unsupported");
  assert.equal((await read(id)).status, "needs_response");

  shop.clock.advance(91 * second);
  const returned = await until(
    () => read(waiting.id),
    ({ status }) => status === "needs_response",
  );
  assert.match(returned.response_problem, /no longer connected/);
});
