import assert from "node:assert/strict";
import { test } from "node:test";
import { type ChargeId, uuidOf } from "../../src/core/ids.ts";
import { printReport } from "../../src/insights/verify/print-report.ts";
import { verify } from "../../src/insights/verify/verify.ts";
import { approvedCard, connectAdyen, pay, startAdyenShop } from "../adyen.ts";
import { type Browser, createCheckout } from "../checkout.ts";
import { apiKey, hmacKey } from "../connection.ts";
import { failChargeUpdates } from "../fail-charge-updates.ts";
import { createPerson } from "../person.ts";
import { formsInRows, formsOf } from "../secret-forms.ts";
import { errorOf } from "../shop.ts";
import { hour, minute, second } from "../test-clock.ts";
import { until } from "../until.ts";
import { payWithWallet } from "../wallet.ts";

const { adyen, shop } = await startAdyenShop();
const { key } = await connectAdyen(shop, adyen);
const { fault, paymentOf } = adyen;

async function checkout(params: object = {}): Promise<Browser> {
  return createCheckout(shop, params, key);
}

const chargeOf = async (id: string) => (await shop.get(`/charges/${id}`, { as: key })).body;

/** Pays in a new session, and waits until its charge has this status. */
async function payUntil(status: string, params: object = {}) {
  const browser = await checkout(params);
  await pay(browser);
  const { id } = await chargeIn(browser);
  return until(
    () => chargeOf(id),
    (charge) => charge.status === status,
  );
}

/** Returns the latest charge of the session. */
async function chargeIn({ session }: Browser) {
  const { data } = (await shop.get("/charges?limit=20", { as: key })).body;
  const charge = data.find(
    ({ checkout_session_id }: { checkout_session_id: string }) => checkout_session_id === session,
  );
  assert(charge);
  return charge;
}

async function refundUntil(status: string, body: object) {
  const refund = await shop.post("/refunds", body, { as: key });
  assert.equal(refund.status, 201, refund.text);
  return until(
    async () => (await shop.get(`/refunds/${refund.body.id}`, { as: key })).body,
    (read) => read.status === status,
  );
}

test("a live session is paid at Adyen, and a refund is completed by its notification", async () => {
  const charge = await payUntil("succeeded");
  assert.deepEqual([charge.livemode, charge.amount], [true, 1999]);
  await refundUntil("succeeded", { charge_id: charge.id, amount: 500 });
  assert.equal((await chargeOf(charge.id)).amount_refunded, 500);
  const { amount, capturedValue, refundedValue } = await paymentOf(charge.id);
  assert.deepEqual(amount, { currency: "USD", value: 1999 });
  assert.deepEqual([capturedValue, refundedValue], [1999, 500]);
});

test("a network token of the test wallet is paid at Adyen with its cryptogram and ECI", async () => {
  for (const card of ["success", "success_apple_pay"]) {
    const browser = await checkout({ three_d_secure: "always" });
    await payWithWallet(shop, browser, card);
    const charge = await chargeIn(browser);
    await until(
      () => chargeOf(charge.id),
      ({ status }) => status === "succeeded",
    );
    const { wallet } = charge.payment_method_details.card;
    const [row] = await shop.app.database.read<{ details: { eci: string } }>`
      select acquirer_details as details from charges where id = ${uuidOf(charge.id)}`;
    assert.deepEqual([wallet, row?.details.eci], ["test_wallet", "05"]);
    assert.equal((await paymentOf(charge.id)).capturedValue, 1999);
  }
});

test("a held payment is captured in part, and the notification completes the capture", async () => {
  const { id } = await payUntil("authorized", { capture_method: "manual" });
  assert.equal((await paymentOf(id)).capturedValue, 0);
  await shop.post(`/charges/${id}/capture`, { amount: 1500 }, { as: key });
  const charge = await until(
    () => chargeOf(id),
    ({ status }) => status === "succeeded",
  );
  assert.equal(charge.amount_captured, 1500);
  assert.equal((await paymentOf(id)).capturedValue, 1500);
});

test("a held payment is canceled, and the notification completes the cancellation", async () => {
  const { id } = await payUntil("authorized", { capture_method: "manual" });
  await shop.post(`/charges/${id}/cancel`, {}, { as: key });
  await until(
    () => chargeOf(id),
    ({ status }) => status === "canceled",
  );
  const { capturedValue, releasedValue } = await paymentOf(id);
  assert.deepEqual([capturedValue, releasedValue], [0, 1999]);
});

test("a wrong security code is declined, and the charge shows the failed check", async () => {
  const browser = await checkout();
  const stored = await browser.type(approvedCard.number, { cvc: "111" });
  await browser.confirm(stored.body.payment_method_id);
  const charge = await chargeIn(browser);
  // Adyen's refusal reason does not mention the security code. Only the result of the check shows the failure.
  const { cvc_check } = charge.payment_method_details.card.checks;
  assert.deepEqual([charge.status, cvc_check], ["failed", "fail"]);
});

test("a payment without a response or notification is shown as being canceled, and its outcome stays unknown", async () => {
  await fault("payments", "cut_before_response", { processed: false });
  const client_reference_id = "order-7";
  const browser = await checkout({ client_reference_id });
  await pay(browser);
  const { id, status, reversal_pending } = await chargeIn(browser);
  assert.deepEqual([status, reversal_pending], ["processing", false]);
  const inHealth = async () => {
    // Creates a new operator each time, because the session expires when the clock is advanced.
    const operator = await createPerson(shop, { operator: true, secondFactor: true });
    const { body } = await operator.send("GET", "/operator/v1/health");
    return body.unknown_outcomes.find((one: { id: string }) => one.id === id);
  };
  assert.equal((await inHealth()).reversal_pending, false);
  shop.clock.advance(16 * minute);
  // The charge has four versions: the intent, the unknown outcome, the pending reversal, and the cancellation that
  // Adyen has received.
  const charge = await until(
    () => chargeOf(id),
    ({ version }) => version === 4,
  );
  assert.deepEqual(
    [charge.status, charge.pending_reason, charge.reversal_pending],
    ["processing", "outcome_unknown", true],
  );
  assert.equal((await inHealth()).reversal_pending, true);
  const { requests } = await adyen.control<{ requests: Record<string, string>[] }>("GET requests");
  assert(
    requests.some(
      ({ endpoint, reference }) => endpoint === "technical_cancels" && reference === id,
    ),
  );
  assert.deepEqual(await adyen.payments(`reference=${id}`), []);

  // The customer pays in a new session. The list of the order's charges shows that the first charge is not final.
  await payUntil("succeeded", { client_reference_id });
  const path = `/charges?client_reference_id=${client_reference_id}`;
  const { data } = (await shop.get(path, { as: key })).body;
  assert.deepEqual(
    data.map(({ pending_reason }: { pending_reason: string | null }) => pending_reason),
    [null, "outcome_unknown"],
  );
});

test("a charge whose authentication had not begun fails, because no payment was sent to Adyen", async () => {
  const { database } = shop.app;
  const browser = await checkout({ three_d_secure: "always" });
  const { number, cvc } = approvedCard;
  const stored = await browser.type(number, { cvc });
  const restore = await failChargeUpdates(database);
  const confirmed = await browser.confirm(stored.body.payment_method_id);
  assert.equal(confirmed.status, 500);
  await restore();
  const { id, status } = await chargeIn(browser);
  assert.equal(status, "processing");
  shop.clock.advance(minute);
  const charge = await until(
    () => chargeOf(id),
    (found) => found.status !== "processing",
  );
  assert.deepEqual([charge.status, charge.decline_code], ["failed", "processing_error"]);
  assert.deepEqual(await adyen.payments(`reference=${id}`), []);
  assert.equal((await browser.readSession()).body.status, "open");
});

test("after an outage of the simulator, only the simulator's inquiries restart, although a live inquiry is due first", async () => {
  const { database } = shop.app;
  const setDue = (id: string, dueAt: Date) =>
    database.transaction(
      (tx) => tx`update charges set due_at = ${dueAt} where id = ${uuidOf(id as ChargeId)}`,
    );
  const stateOf = async (id: string) => {
    const [row] = await database.read<{ status: string; inquiries: number; due_at: Date | null }>`
      select status, inquiries, due_at from charges where id = ${uuidOf(id as ChargeId)}`;
    assert(row);
    return row;
  };
  await fault("payments", "cut_before_response", { processed: false });
  const browser = await checkout();
  await pay(browser);
  const live = (await chargeIn(browser)).id;
  shop.simulator.injectFaults({ dropBefore: true });
  const params = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
  const waiting: string[] = [];
  for (let charges = 1; charges <= 3; charges++) {
    waiting.push((await shop.post("/charges", params)).body.id);
  }
  shop.clock.advance(12 * second);
  for (const id of [live, ...waiting]) {
    await until(
      () => stateOf(id),
      ({ inquiries, due_at }) => inquiries > 0 && due_at !== null && due_at > shop.clock.now(),
    );
  }
  const soon = new Date(shop.clock.now().getTime() + hour);
  await setDue(live, soon);
  for (const id of waiting) await setDue(id, new Date(soon.getTime() + hour));

  shop.simulator.injectFaults({});
  shop.clock.advance(20 * second);
  for (const id of waiting) {
    await until(
      () => stateOf(id),
      ({ status }) => status === "failed",
    );
  }
  assert.deepEqual((await stateOf(live)).due_at, soon);
});

test("400: rejects a payout in live mode, because Adyen pays the merchant", async () => {
  const reply = await shop.post("/payouts", { amount: 1000, currency: "usd" }, { as: key });
  assert.deepEqual([reply.status, reply.body.error.code], [400, "payouts_not_allowed"]);
});

const errorOfEvidence = async (id: unknown) =>
  errorOf(await shop.post(`/disputes/${id}/evidence`, { uncategorized_text: "No." }, { as: key }));

async function openDispute(id: string) {
  const { pspReference } = (await paymentOf(id)) as unknown as { pspReference: string };
  const body = { payment: pspReference, stage: "chargeback", reasonCode: "10.4" };
  const { dispute } = await adyen.control<{ dispute: { pspReference: string } }>(
    "POST disputes",
    body,
  );
  const { data } = await until(
    async () => (await shop.get(`/disputes?charge_id=${id}`, { as: key })).body,
    ({ data }) => data.length === 1,
  );
  return { opened: data[0], reference: dispute.pspReference };
}

test("a chargeback opens a dispute, the reversal of the chargeback wins the dispute, and a second chargeback is another dispute, which is lost", async () => {
  const { id } = await payUntil("succeeded");
  const { opened, reference } = await openDispute(id);
  assert.deepEqual(
    [opened.status, opened.reason, opened.amount, opened.is_inquiry],
    ["needs_response", "fraudulent", 1999, false],
  );
  assert.equal((await chargeOf(id)).amount_disputed, 1999);
  await adyen.control(`POST disputes/${reference}/events`, { eventCode: "CHARGEBACK_REVERSED" });
  const disputeOf = async () => (await shop.get(`/disputes/${opened.id}`, { as: key })).body;
  await until(disputeOf, ({ status }) => status === "won");
  assert.equal((await chargeOf(id)).amount_disputed, 0);

  await adyen.control(`POST disputes/${reference}/events`, { eventCode: "SECOND_CHARGEBACK" });
  const disputes = async () =>
    (await shop.get(`/disputes?charge_id=${id}`, { as: key })).body.data as Record<
      string,
      unknown
    >[];
  const [second, first] = await until(disputes, (found) => found.length === 2);
  assert.equal(first?.status, "won");
  assert.deepEqual(
    [second?.status, second?.amount, second?.reason, second?.funds_withdrawn],
    ["lost", 1999, "fraudulent", true],
  );
  assert.equal((await chargeOf(id)).amount_disputed, 1999);
  assert.equal((await errorOfEvidence(second?.id))[2], "dispute_closed");

  // Adyen reports the loss of the second chargeback again, under another event code. The notification is ignored.
  await adyen.control(`POST disputes/${reference}/events`, { eventCode: "PREARBITRATION_LOST" });
  await until(
    () => shop.app.database.read`
      select from acquirer_notifications
       where event_code = 'PREARBITRATION_LOST' and state = 'ignored'`,
    (found) => found.length === 1,
  );
  assert.equal((await disputes()).length, 2);
  const [entries] = await shop.app.database.read<{ net: number; fees: number }>`
    select sum(case kind when 'dispute' then -amount when 'dispute_reversal' then amount else 0 end)::int as net,
           count(*) filter (where kind = 'dispute_fee')::int as fees
      from ledger_transfers
     where source_id = any (${[first?.id, second?.id].map((one) => uuidOf(one as `dp_${string}`))}::uuid[])`;
  assert.equal(entries?.net, -1999);
  assert.ok((entries?.fees ?? 2) <= 1, "the second chargeback has no fee");
  const { data: events } = (await shop.get("/events?limit=100", { as: key })).body;
  const ofSecond = events.filter(
    ({ data }: { data: { object: { id: string } } }) => data.object.id === second?.id,
  );
  assert.deepEqual(ofSecond.map(({ type }: { type: string }) => type).sort(), [
    "dispute.closed",
    "dispute.opened",
  ]);
  const notified = await until(
    () => shop.app.database.read<{ object_id: string; final: boolean }>`
      select object_id, details ? 'isFinal' as final from team_notifications
       where object_id = any (${[first?.id, second?.id].map((one) => uuidOf(one as `dp_${string}`))}::uuid[])
       order by id`,
    (found) => found.length === 2,
  );
  assert.deepEqual(
    notified.map(({ final }) => final),
    [false, true],
  );
  const report = await verify(shop.app.database);
  assert.equal(report.violations, 0, printReport(report));
});

test("a second chargeback that arrives before the reversal of the chargeback waits for it", async () => {
  const { id } = await payUntil("succeeded");
  const { opened, reference } = await openDispute(id);
  await adyen.fault("disputes", "lost_notification");
  await adyen.control(`POST disputes/${reference}/events`, { eventCode: "CHARGEBACK_REVERSED" });
  await adyen.control(`POST disputes/${reference}/events`, { eventCode: "SECOND_CHARGEBACK" });
  await until(
    () => shop.app.database.read<{ count: number }>`
      select count(*)::int as count from acquirer_notifications
       where event_code = 'SECOND_CHARGEBACK' and state = 'pending'`,
    ([row]) => row?.count === 1,
  );
  assert.equal((await chargeOf(id)).amount_disputed, 1999);
  const list = "GET notifications?state=lost";
  const { notifications } = await adyen.control<{ notifications: { id: string }[] }>(list);
  for (const { id: lost } of notifications) await adyen.control(`POST notifications/${lost}/send`);
  const { data } = await until(
    async () => (await shop.get(`/disputes?charge_id=${id}`, { as: key })).body,
    (found) => found.data.length === 2,
  );
  assert.deepEqual(
    data.map(({ status }: { status: string }) => status),
    ["lost", "won"],
  );
  assert.equal(data[1].id, opened.id);
  assert.equal((await chargeOf(id)).amount_disputed, 1999);
});

/** A name that only one test types, so that each occurrence in the database comes from that test's payment. */
const typedName = "Zacharias Quillfeather";

test("Adyen receives the cardholder's name and address, and the issuer's checks of the address", async () => {
  const address = { line1: "12 High Street", city: "London", postal_code: "E1 6AN", country: "GB" };
  const payAs = async (name: string) => {
    const browser = await checkout({ billing_details: { address } });
    const { number, cvc } = approvedCard;
    const stored = await browser.type(number, { cvc, name });
    await browser.confirm(stored.body.payment_method_id);
    return until(
      () => chargeIn(browser),
      (charge) => charge?.status === "succeeded" || charge?.status === "failed",
    );
  };
  const paid = await payAs(typedName);
  const { address_line1_check, address_postal_code_check } =
    paid.payment_method_details.card.checks;
  assert.deepEqual(
    [paid.status, address_line1_check, address_postal_code_check],
    ["succeeded", "pass", "pass"],
  );
  // This cardholder name is an Adyen test value that causes a decline.
  const declined = await payAs("CARD_EXPIRED");
  assert.deepEqual([declined.status, declined.decline_code], ["failed", "expired_card"]);
});

test("the session in the card form shows that live mode is a sandbox, and in test mode has no such field", async () => {
  assert.equal((await (await checkout()).readSession()).body.sandbox, true);
  const inTestMode = (await (await createCheckout(shop)).readSession()).body;
  assert.deepEqual([inTestMode.livemode, "sandbox" in inTestMode], [false, false]);
});

test("no table and no log line contains a card number, a typed name or a secret of the connection", async () => {
  const secrets = [approvedCard.number, typedName, apiKey, hmacKey];
  const inRows = secrets.flatMap(formsInRows);
  const client = await shop.app.database.connect();
  const { rows: tables } = await client.query(
    `select table_schema || '.' || table_name as name from information_schema.tables
      where table_schema in ('public', 'simulator') and table_type = 'BASE TABLE'`,
  );
  assert.ok(tables.some(({ name }) => name === "public.acquirer_notifications"));
  for (const { name } of tables) {
    const { rows } = await client.query(`select t::text as text from ${name} t`);
    for (const { text } of rows) {
      for (const form of inRows) assert.ok(!text.includes(form), `${name} contains a secret`);
    }
  }
  await client.end();
  const log = JSON.stringify(shop.log);
  for (const form of secrets.flatMap(formsOf))
    assert.ok(!log.includes(form), "the log contains a secret");
});

for (const [problem, price] of [
  ["a currency that Adyen does not list", { amount: 200_000, currency: "afn" }],
  ["an amount with more decimals than Adyen accepts", { amount: 5_000_050, currency: "idr" }],
] as const) {
  test(`400: rejects a live session with ${problem} and names the parameter`, async () => {
    const rejected = await shop.post("/checkout_sessions", price, { as: key });
    const code = "currency_unsupported";
    assert.deepEqual(errorOf(rejected), [400, "invalid_request_error", code, "currency"]);
  });
}
