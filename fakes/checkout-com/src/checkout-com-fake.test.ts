import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startProxy } from "./checked-proxy.fixture.ts";
import { startCheckoutComFake } from "./checkout-com-fake.ts";
import { officialDocument } from "./official-document.fixture.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields that it reads
type Json = Record<string, any>;

const webhookSecret = "signature key";
const received: { body: string; signature: string }[] = [];
const receiver = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    received.push({ body, signature: String(request.headers["cko-signature"]) });
    response.writeHead(200).end();
  });
});
await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/events`;
const account = "cli_testtesttesttesttesttestte";
const channels = ["pc_onetwothreefourfivesixseve", "pc_othertwothreefourfivesixse"];
const secretKey = "sk_sbox_testtesttesttesttesttesttes";
const publicKey = "pk_sbox_testtesttesttesttesttesttes";
const fake = await startCheckoutComFake({
  accounts: [{ id: account, channels, secretKey, publicKey, webhookSecret, webhookUrl }],
});
const proxy = await startProxy(fake.url);
after(async () => {
  proxy.close();
  await fake.close();
  receiver.closeAllConnections();
  receiver.close();
});

// The package's types use extensionless imports, which TypeScript does not resolve for an ES module.
const { Checkout } = createRequire(import.meta.url)("checkout-sdk-node");
const connect = (key: string, host = proxy.url) => new Checkout(key, { host, timeout: 30_000 });
const cko = connect(secretKey);

async function control(command: string, body: object = {}): Promise<Json> {
  const [method = "", path = ""] = command.split(" ");
  const text = method === "GET" ? null : JSON.stringify(body);
  const response = await fetch(`${fake.url}/control/${path}`, { method, body: text });
  const result = (await response.json()) as Json;
  assert.equal(response.status, 200, `${command}: ${result.message}`);
  return result;
}

/** Returns the event after a check of its signature. */
async function eventOf(type: string, subject: string): Promise<Json> {
  for (let tries = 0; tries < 300; tries++) {
    for (const { body, signature } of received) {
      const event = JSON.parse(body);
      if (event.type !== type || !event._links.subject.href.endsWith(`/${subject}`)) continue;
      assert.equal(signature, signatureOf(body));
      return event;
    }
    await sleep(10);
  }
  assert.fail(`no event ${type} of ${subject}`);
}

const signatureOf = (body: string) =>
  createHmac("sha256", webhookSecret).update(body).digest("hex");

const card = { type: "card", number: "4242424242424242", expiry_month: 12, expiry_year: 2040 };

let references = 0;
const order = (changes: Json = {}) => ({
  source: { ...card, cvv: "100", name: "J. Smith", ...changes.source },
  amount: 1999,
  currency: "EUR",
  reference: `ch_${++references}`,
  processing_channel_id: channels[0],
  ...Object.fromEntries(Object.entries(changes).filter(([name]) => name !== "source")),
});

const pay = (changes: Json = {}, key?: string): Promise<Json> =>
  cko.payments.request(order(changes), key);

/** Requests a payment and waits for its capture. */
async function sell(changes: Json = {}): Promise<Json> {
  const sale = await pay(changes);
  await eventOf("payment_captured", sale.id);
  return sale;
}

async function errorOf(request: Promise<unknown>): Promise<Json> {
  return request.then(
    () => assert.fail("the request succeeded"),
    (thrown) => thrown,
  );
}

test("the official SDK charges a card, and the events of the sale have a valid signature", async () => {
  const sale = await sell({ metadata: { order: "1" } });
  assert.deepEqual([sale.approved, sale.status, sale.response_code], [true, "Authorized", "10000"]);
  assert.match(sale.scheme_id, /^\d{15}$/);
  const approved = await eventOf("payment_approved", sale.id);
  assert.deepEqual(
    [approved.data.reference, approved.data.amount, approved.data.currency],
    [sale.reference, 1999, "EUR"],
  );
  const captured = await eventOf("payment_captured", sale.id);
  assert.equal(captured.data.balances.total_captured, 1999);
  assert.equal((await cko.payments.get(sale.id)).status, "Captured");
});

test("a hold is captured in part, and the final capture releases the rest", async () => {
  const { id } = await pay({ capture: false });
  const first = { amount: 700, capture_type: "NonFinal", reference: "op_1" };
  const { action_id, reference } = await cko.payments.capture(id, first);
  assert.equal(reference, "op_1");
  const event = await eventOf("payment_captured", id);
  assert.deepEqual([event.data.action_id, event.data.reference], [action_id, "op_1"]);
  assert.equal((await cko.payments.get(id)).balances.available_to_capture, 1299);
  await cko.payments.capture(id, { amount: 300, reference: "op_2" });
  await untilStatus(id, "Partially Captured");
  const { balances } = await cko.payments.get(id);
  assert.deepEqual(
    [balances.total_captured, balances.total_voided, balances.available_to_capture],
    [1000, 999, 0],
  );
  const error = await errorOf(cko.payments.capture(id, { amount: 1 }));
  assert.equal(error.name, "ActionNotAllowed");
});

/** Reads a value until it meets the condition, and returns it. */
async function until<Value>(
  read: () => Promise<Value> | Value,
  isDone: (value: Value) => boolean,
): Promise<Value> {
  for (let tries = 0; tries < 500; tries++) {
    const value = await read();
    if (isDone(value)) return value;
    await sleep(10);
  }
  assert.fail("the condition was not met within five seconds");
}

async function untilStatus(id: string, expected: string): Promise<void> {
  await until(
    () => cko.payments.get(id),
    ({ status }) => status === expected,
  );
}

test("a hold is voided, and a capture that was accepted before is declined after the void", async () => {
  const { id } = await pay({ capture: false });
  const delayMs = 60_000;
  await control("POST faults", { endpoint: "captures", fault: "declined_later", delayMs });
  await cko.payments.capture(id, { reference: "op_late" });
  await cko.payments.void(id, { reference: "op_void" });
  const voided = await eventOf("payment_voided", id);
  assert.equal(voided.data.reference, "op_void");
  await control("POST clock", { advanceMs: delayMs });
  await eventOf("payment_capture_declined", id);
  const actions = await cko.payments.getActions(id);
  assert.deepEqual(
    actions.map(({ type, approved }: Json) => [type, approved]),
    [
      ["Capture", false],
      ["Void", true],
      ["Authorization", true],
    ],
  );
});

test("a refund is executed once for an idempotency key, and the key expires after 24 hours", async () => {
  const { id } = await sell();
  const body = { amount: 500, reference: "op_refund" };
  const first = await cko.payments.refund(id, body, "key one");
  const again = await cko.payments.refund(id, body, "key one");
  assert.equal(again.action_id, first.action_id);
  await eventOf("payment_refunded", id);
  assert.equal((await cko.payments.get(id)).balances.total_refunded, 500);
  await control("POST clock", { advanceMs: 24 * 60 * 60 * 1000 });
  const later = await cko.payments.refund(id, body, "key one");
  assert.notEqual(later.action_id, first.action_id);
  const tooMuch = await errorOf(cko.payments.refund(id, { amount: 1500 }));
  assert.deepEqual(tooMuch.body.error_codes, ["amount_exceeds_balance"]);
});

test("a rejected request is not stored under its key, and a request in flight conflicts", async () => {
  const rejected = await errorOf(pay({ currency: "EUR", amount: -1 }, "key two"));
  assert.deepEqual(rejected.body.error_codes, ["amount_invalid"]);
  const { id } = await pay({}, "key two");
  assert.equal((await pay({ amount: 5 }, "key two")).id, id);
  const countRequests = async () => (await control("GET requests")).requests.length;
  const before = await countRequests();
  await control("POST faults", { endpoint: "payments", fault: "slow", delayMs: 1_000 });
  const slow = pay({}, "key three");
  await until(countRequests, (count) => count > before);
  const conflict = await errorOf(pay({}, "key three"));
  assert.equal(conflict.http_code, 409);
  const executed = await slow;
  assert.equal((await pay({}, "key three")).id, executed.id);
});

test("documented amounts decide the outcome", async () => {
  const declined = await pay({ amount: 12351 });
  assert.deepEqual(
    [declined.approved, declined.status, declined.response_code],
    [false, "Declined", "20051"],
  );
  assert.equal((await pay({ amount: 12305 })).response_code, "20005");
  assert.equal((await pay({ amount: 4001 })).risk.flagged, true);
  assert.equal((await pay({ amount: 6510 })).response_code, "20154");
  assert.equal((await pay({ amount: 12351, currency: "JPY" })).approved, true);
  const event = await eventOf("payment_declined", declined.id);
  assert.equal(event.data.response_code, "20051");
  const { captures } = declined._links;
  assert.equal(captures, undefined);
});

test("the control API sets the response of the issuer with the advice of the network", async () => {
  const response = { channel: channels[0], code: "20051", merchantAdviceCode: "24" };
  await control("POST responses", response);
  const declined = await pay();
  assert.equal(declined.response_code, "20051");
  assert.equal(declined.processing.partner_merchant_advice_code, "24");
  assert.equal((await pay()).approved, true);
});

test("the result of the address check depends on the first line of the address", async () => {
  const address = (address_line1: string) => ({
    source: { billing_address: { address_line1, zip: "W1T 4TJ", country: "GB" } },
  });
  assert.equal((await pay(address("Test_N"))).source.avs_check, "N");
  const other = await pay(address("1 Example Street"));
  assert.deepEqual([other.source.avs_check, other.source.cvv_check], ["S", "Y"]);
});

test("a payment is found by its reference, even in another channel of the account", async () => {
  const paid = await pay({ processing_channel_id: channels[1] });
  const { total_count, data } = await cko.payments.getPaymentList({ reference: paid.reference });
  assert.deepEqual([total_count, data[0].id], [1, paid.id]);
  const none = await cko.payments.getPaymentList({ reference: "unknown" });
  assert.deepEqual(none.data, []);
  const { payments } = await control(`GET payments?channel=${channels[1]}`);
  assert.deepEqual(
    payments.map(({ reference }: Json) => reference),
    [paid.reference],
  );
});

test("an authentication by another provider is stored, and its fields are required", async () => {
  const external = {
    enabled: true,
    eci: "05",
    cryptogram: "AgAAAAAAAIR8CQrXcIhbQAAAAAA=",
    xid: "79f6205c-ff5c-4a4c-8fca-90f67f3a6470",
    version: "2.2.0",
  };
  const paid = await pay({ "3ds": external, amount: 6510 });
  assert.deepEqual([paid.approved, paid.eci], [true, "05"]);
  const { "3ds": stored } = await cko.payments.get(paid.id);
  assert.deepEqual(
    [stored.authentication_response, stored.cryptogram, stored.version],
    ["Y", external.cryptogram, "2.2.0"],
  );
  const { cryptogram, ...incomplete } = external;
  const error = await errorOf(pay({ "3ds": incomplete }));
  assert.deepEqual(error.body.error_codes, ["parameter_invalid"]);
});

test("a network token needs its cryptogram and ECI, and is not authenticated again", async () => {
  const { number, ...rest } = card;
  const token = {
    ...rest,
    type: "network_token",
    token: number,
    token_type: "googlepay",
    cryptogram: "AgAAAAAAAIR8CQrXcIhbQAAAAAA=",
    eci: "05",
  };
  const order = { amount: 6510, currency: "EUR", processing_channel_id: channels[0] };
  const paid = await cko.payments.request({ ...order, source: token, reference: "ch_token" });
  assert.deepEqual([paid.approved, paid.eci], [true, "05"]);
  const { cryptogram, eci, ...incomplete } = token;
  const source = { ...incomplete, token_type: "unknown" };
  const error = await errorOf(cko.payments.request({ ...order, source }));
  assert.deepEqual(error.body.error_codes, [
    "cryptogram_required",
    "eci_required",
    "token_type_invalid",
  ]);
});

const urls = {
  success_url: "https://shop.example/success?order=1",
  failure_url: "https://shop.example/failure",
};

async function authenticate(redirect: string, outcome: string): Promise<URL> {
  assert.match(await (await fetch(redirect)).text(), /Authenticate/);
  const form = { method: "POST", body: `outcome=${outcome}`, redirect: "manual" } as const;
  return new URL((await fetch(redirect, form)).headers.get("location") ?? "");
}

test("the cardholder authenticates on Checkout.com's page and returns with the session ID", async () => {
  const redirected = await pay({ "3ds": { enabled: true }, ...urls });
  assert.deepEqual([redirected.status, redirected.requiresRedirect], ["Pending", true]);
  assert.equal((await cko.payments.get(redirected.id)).status, "Pending");
  const location = await authenticate(redirected.redirectLink, "authenticate");
  assert.equal(location.pathname, "/success");
  const session = location.searchParams.get("cko-session-id") as string;
  const paid = await cko.payments.get(session);
  assert.deepEqual([paid.id, paid.approved, paid.eci], [redirected.id, true, "05"]);
  assert.equal(paid["3ds"].authentication_response, "Y");
  await eventOf("payment_captured", redirected.id);
});

test("a failed authentication declines the payment, and a redirect needs both URLs", async () => {
  const redirected = await pay({ "3ds": { enabled: true }, ...urls });
  const location = await authenticate(redirected.redirectLink, "fail");
  assert.equal(location.pathname, "/failure");
  const failed = await cko.payments.get(redirected.id);
  assert.deepEqual([failed.status, failed.actions[0].response_code], ["Declined", "20151"]);
  const event = await eventOf("payment_authentication_failed", redirected.id);
  assert.equal(event.data.response_code, "20151");
  const error = await errorOf(pay({ "3ds": { enabled: true } }));
  assert.deepEqual(error.body.error_codes, ["success_url_required", "failure_url_required"]);
});

test("a soft decline is continued with a redirect, unless the request or the account forbids it", async () => {
  const redirected = await pay({ amount: 6510, ...urls });
  assert.equal(redirected["3ds"].upgrade_reason, "sca_retry");
  await authenticate(redirected.redirectLink, "authenticate");
  assert.equal((await cko.payments.get(redirected.id)).approved, true);
  const forbidden = { amount: 6510, ...urls, "3ds": { enabled: false, allow_upgrade: false } };
  assert.equal((await pay(forbidden)).response_code, "20154");
  await control(`PUT accounts/${account}`, { upgradesSoftDeclines: false });
  assert.equal((await pay({ amount: 6510, ...urls })).response_code, "20154");
  await control(`PUT accounts/${account}`, { upgradesSoftDeclines: true });
});

test("a payment is declined if the cardholder does not authenticate within 15 minutes", async () => {
  const redirected = await pay({ "3ds": { enabled: true }, ...urls });
  await control("POST clock", { advanceMs: 15 * 60 * 1000 });
  const event = await eventOf("payment_authentication_failed", redirected.id);
  assert.equal(event.data.response_code, "20152");
  assert.equal((await fetch(redirected.redirectLink)).status, 404);
});

test("a merchant-initiated payment names an earlier payment or a network transaction ID", async () => {
  const first = await pay({ source: { stored: true } });
  const recurring = {
    payment_type: "Recurring",
    merchant_initiated: true,
    source: { stored: true, cvv: undefined },
  };
  const second = await pay({ ...recurring, previous_payment_id: first.id });
  assert.equal(second.approved, true);
  assert.equal((await pay({ ...recurring, previous_payment_id: first.scheme_id })).approved, true);
  const unknown = `pay_${"a".repeat(26)}`;
  const error = await errorOf(pay({ ...recurring, previous_payment_id: unknown }));
  assert.deepEqual(error.body.error_codes, ["previous_payment_id_invalid"]);
  const { payments } = await control(`GET payments?id=${second.id}`);
  assert.deepEqual(
    [payments[0].merchantInitiated, payments[0].previousPaymentId, payments[0].stored],
    [true, first.id, true],
  );
});

test("a request for no amount verifies the card", async () => {
  const verified = await pay({ amount: 0 });
  assert.deepEqual([verified.approved, verified.status], [true, "Card Verified"]);
  await eventOf("card_verified", verified.id);
  const error = await errorOf(cko.payments.capture(verified.id, {}));
  assert.equal(error.name, "ActionNotAllowed");
});

test("a reversal voids what is authorized and refunds what is captured", async () => {
  const held = await pay({ capture: false });
  await cko.payments.reverse(held.id, { reference: "op_reverse" });
  await eventOf("payment_voided", held.id);
  const sale = await sell();
  await cko.payments.reverse(sale.id, { reference: "op_reverse" });
  await eventOf("payment_refunded", sale.id);
  assert.equal((await cko.payments.get(sale.id)).status, "Refunded");
  assert.equal((await errorOf(cko.payments.reverse(sale.id, {}))).name, "ActionNotAllowed");
});

test("an authorization expires after seven days", async () => {
  const { id } = await pay({ capture: false });
  await control("POST clock", { advanceMs: 7 * 24 * 60 * 60 * 1000 });
  await eventOf("payment_expired", id);
  const expired = await cko.payments.get(id);
  assert.deepEqual([expired.status, expired.balances.available_to_capture], ["Expired", 0]);
});

test("a payment without an outcome is declined later", async () => {
  await control("POST faults", { endpoint: "payments", fault: "declined_later", delayMs: 20 });
  const pending = await pay();
  assert.deepEqual([pending.status, pending.requiresRedirect], ["Pending", false]);
  await eventOf("payment_declined", pending.id);
  assert.equal((await cko.payments.get(pending.id)).status, "Declined");
});

test("a dispute debits its amount, takes evidence with a file, and credits the amount when it is won", async (t) => {
  const { id } = await sell();
  const { dispute } = await control("POST disputes", { payment: id, reasonCode: "13.1" });
  const opened = await eventOf("dispute_evidence_required", dispute.id);
  assert.deepEqual(
    [opened.data.payment_id, opened.data.reason_code, opened.data.amount],
    [id, "13.1", 1999],
  );
  const folder = await mkdtemp(join(tmpdir(), "checkout-com-fake-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "evidence.pdf"), "%PDF-1.7");
  const path = createReadStream(join(folder, "evidence.pdf"));
  const file = await cko.files.upload({ path, purpose: "dispute_evidence" });
  assert.equal((await cko.files.getFile(file.id)).size, 8);
  assert.equal((await errorOf(cko.disputes.submit(dispute.id))).name, "ValidationError");
  await cko.disputes.provideEvidence(dispute.id, {
    proof_of_delivery_or_service_file: file.id,
    additional_evidence_text: "Delivered.",
  });
  const evidence = await cko.disputes.getEvidence(dispute.id);
  assert.equal(evidence.proof_of_delivery_or_service_file, file.id);
  await cko.disputes.submit(dispute.id);
  assert.equal((await cko.disputes.getDetails(dispute.id)).status, "evidence_under_review");
  await control(`POST disputes/${dispute.id}/close`, { status: "won" });
  await eventOf("dispute_won", dispute.id);
  const listed = await cko.disputes.get({ payment_id: id, statuses: "won" });
  assert.deepEqual([listed.total_count, listed.data[0].id], [1, dispute.id]);
  const { movements } = await control(`GET ledger?action=${dispute.id}`);
  assert.deepEqual(
    movements.map(({ breakdownType, amount }: Json) => [breakdownType, amount]),
    [
      ["Chargeback (ADJM)", -1999],
      ["Chargeback (RPDW)", 1999],
    ],
  );
});

test("a documented amount and expiry date cause a dispute one minute after the capture", async () => {
  const { id } = await sell({ amount: 1040, source: { expiry_month: 1, expiry_year: 2099 } });
  await control("POST clock", { advanceMs: 60_000 });
  const { disputes } = await control(`GET disputes?payment=${id}`);
  assert.equal(disputes[0].reasonCode, "10.4");
  await eventOf("dispute_received", disputes[0].id);
});

test("a dispute is accepted, and another expires at its deadline", async () => {
  const accepted = (await control("POST disputes", { payment: (await sell()).id })).dispute;
  await cko.disputes.accept(accepted.id);
  await eventOf("dispute_accepted", accepted.id);
  const due = (await control("POST disputes", { payment: (await sell()).id })).dispute;
  await control("POST clock", { advanceMs: 14 * 24 * 60 * 60 * 1000 });
  await eventOf("dispute_expired", due.id);
  assert.equal((await cko.disputes.getDetails(due.id)).status, "expired");
});

test("the rows of a report add up to the amount of the payout", async () => {
  const sale = await sell({ currency: "GBP" });
  const { payouts } = await control("POST payouts", { account });
  const payout = payouts.find(({ currency }: Json) => currency === "GBP");
  const { data } = await cko.reports.getAllReports({ limit: 100 });
  const report = data.find(
    ({ type, tags }: Json) => type === "FinancialActions" && tags[0] === `payout_id:${payout.id}`,
  );
  await eventOf("report_generated", report.id);
  assert.equal((await cko.reports.getReportDetails(report.id)).id, report.id);
  const csv = String(await cko.reports.getReportFile(report.id, report.files[0].id));
  const [header = [], ...rows] = csv
    .trimEnd()
    .split("\n")
    .map((line) => line.split(","));
  const column = (name: string) => rows.map((row) => row[header.indexOf(name)] ?? "");
  const hundredths = column("Holding Currency Amount").map((amount) => Math.round(+amount * 100));
  assert.equal(
    hundredths.reduce((sum, amount) => sum + amount, 0),
    payout.amount,
  );
  assert.deepEqual(new Set(column("Payout ID")), new Set([payout.id]));
  assert.deepEqual(new Set(column("Reference")), new Set([sale.reference]));
  const captured = rows[column("Breakdown Type").indexOf("Capture")];
  assert.equal(captured?.[header.indexOf("Processing Currency Amount")], "19.99");
});

test("payments are settled in the currency of the account's only balance", async () => {
  const other = "cli_converted";
  const key = "sk_sbox_convertedconvertedconvert";
  const holding = { currency: "EUR", rates: { JPY: 0.006 } };
  await control(`PUT accounts/${other}`, { secretKey: key, channels: ["pc_converted"], holding });
  const body = { ...order({ currency: "JPY", amount: 5000 }), processing_channel_id: undefined };
  const response = await fetch(`${fake.url}/payments`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const { id } = (await response.json()) as Json;
  const { movements } = await until(
    () => control(`GET ledger?payment=${id}&breakdownType=Capture`),
    (ledger) => ledger.movements.length > 0,
  );
  assert.deepEqual(
    movements.map(({ amount, holdingAmount, holdingCurrency }: Json) => [
      amount,
      holdingAmount,
      holdingCurrency,
    ]),
    [[5000, 3000, "EUR"]],
  );
});

test("an invalid request names every error", async () => {
  const cases: [Json, string][] = [
    [{ source: { number: "4242424242424241" } }, "card_number_invalid"],
    [{ source: { expiry_year: 2020 } }, "card_expired"],
    [{ source: { cvv: "12" } }, "cvv_invalid"],
    [{ amount: 1_000_000_000 }, "amount_invalid"],
    [{ amount: 1001, currency: "BHD" }, "amount_invalid"],
    [{ amount: 1050, currency: "CLP" }, "amount_invalid"],
    [{ reference: "r".repeat(51) }, "reference_invalid"],
    [{ source: { number: "378282246310005" }, reference: "r".repeat(31) }, "reference_invalid"],
    [{ processing_channel_id: undefined }, "processing_channel_id_required"],
    [{ processing_channel_id: "pc_unknown" }, "processing_channel_id_invalid"],
  ];
  for (const [changes, code] of cases) {
    const { body, name } = await errorOf(pay(changes));
    assert.deepEqual([name, body.error_codes], ["ValidationError", [code]]);
  }
  assert.equal((await errorOf(cko.payments.get(`pay_${"a".repeat(26)}`))).name, "NotFoundError");
  const unknown = connect("sk_sbox_unknownunknownunknownunknow");
  assert.equal((await errorOf(unknown.payments.get("pay_a"))).name, "AuthenticationError");
});

test("faults cut, delay or replace one response, and apply only to their channel", async () => {
  const direct = connect(secretKey, fake.url);
  const channel = channels[0];
  const fault = (kind: string, more: Json = {}) =>
    control("POST faults", { endpoint: "payments", fault: kind, channel, ...more });
  await fault("too_many_requests");
  const other = order({ processing_channel_id: channels[1] });
  assert.equal((await direct.payments.request(other)).approved, true);
  const limited = await errorOf(direct.payments.request(order()));
  assert.equal(limited.http_code, 429);
  await fault("html_502");
  const executed = order();
  assert.equal((await errorOf(direct.payments.request(executed))).http_code, 502);
  assert.equal((await paymentsOf(executed.reference)).length, 1);
  await fault("html_502", { processed: false });
  const lost = order();
  await errorOf(direct.payments.request(lost));
  assert.deepEqual(await paymentsOf(lost.reference), []);
  for (const kind of ["cut_before_response", "cut_in_body"]) {
    await fault(kind);
    const cut = order();
    await errorOf(direct.payments.request(cut));
    assert.equal((await paymentsOf(cut.reference)).length, 1, kind);
  }
});

const paymentsOf = async (reference: string): Promise<readonly Json[]> =>
  (await control(`GET payments?reference=${reference}`)).payments;

test("a request that arrives late is executed after the next inquiry", async () => {
  await control("POST faults", { endpoint: "payments", fault: "arrives_late" });
  const late = order();
  await errorOf(connect(secretKey, fake.url).payments.request(late));
  const { reference } = late;
  assert.deepEqual((await cko.payments.getPaymentList({ reference })).data, []);
  assert.equal((await cko.payments.getPaymentList({ reference })).data.length, 1);
});

test("an event is lost, duplicated, forged or early, and held events are sent in any order", async () => {
  const eventsOf = (id: string) => received.filter(({ body }) => body.includes(id));
  const fault = (kind: string) => control("POST faults", { endpoint: "refunds", fault: kind });
  const { id } = await sell();
  const refund = (reference: string) => cko.payments.refund(id, { amount: 100, reference });
  await fault("lost_event");
  await refund("op_lost");
  const inState = (state: string) =>
    until(
      async () => (await control(`GET events?state=${state}`)).events as Json[],
      ({ length }) => length > 0,
    );
  const untilReceived = (text: string, count: number) =>
    until(
      () => eventsOf(text),
      ({ length }) => length === count,
    );
  const [lost] = await inState("lost");
  assert.deepEqual(eventsOf("op_lost"), []);
  await control(`POST events/${lost?.id}/send`);
  assert.equal(eventsOf("op_lost").length, 1);
  await fault("duplicate_event");
  await refund("op_twice");
  await untilReceived("op_twice", 2);
  await fault("early_event");
  await refund("op_early");
  assert.equal(eventsOf("op_early").length, 1);
  await fault("forged_event");
  await refund("op_forged");
  const signatures = (await untilReceived("op_forged", 2)).map(
    ({ body, signature }) => signature === signatureOf(body),
  );
  assert.deepEqual(signatures, [false, true]);
  await control("POST hold_events", { held: true });
  await refund("op_held");
  const [held] = await inState("held");
  assert.deepEqual(eventsOf("op_held"), []);
  await control(`POST events/${held?.id}/send`);
  assert.equal(eventsOf("op_held").length, 1);
  await control("POST hold_events", { held: false });
});

test("every request and response of the tests above is valid against the official document", (t) => {
  const official = officialDocument();
  if (typeof official === "string") return t.skip(official);
  const checked = new Set<string>();
  for (const exchange of proxy.exchanges) {
    const { schemas, errors } = official.check(exchange);
    for (const schema of schemas) checked.add(schema);
    assert.deepEqual(errors, [], `${exchange.method} ${exchange.path} ${exchange.status}`);
  }
  for (const schema of [
    "PaymentRequest",
    "PaymentRequestCardSource",
    "PaymentResponse",
    "PaymentAcceptedResponse",
    "PaymentDetails",
    "PaymentActionsResponse",
    "CaptureRequest",
    "CaptureAcceptedResponse",
    "VoidAcceptedResponse",
    "RefundAcceptedResponse",
    "DisputePaged",
    "Dispute",
    "ProvideEvidenceRequest",
    "FileUploadResponse",
    "FileResult",
    "ValidationError",
  ]) {
    assert.ok(checked.has(schema), `No request or response has the schema ${schema}.`);
  }
});

// The API requires the prefix `Bearer`, which the SDK does not add to a public key.
const exchange = (key: string, type: string, token_data: unknown): Promise<Json> =>
  new Checkout(secretKey, { pk: `Bearer ${key}`, host: proxy.url, timeout: 30_000 }).tokens.request(
    {
      type,
      token_data,
    },
  );
const newToken = async (wallet: string, more: Json = {}): Promise<Json> =>
  (await control("POST wallet_tokens", { wallet, number: card.number, ...more })).token;
const payWith = (token: string): Promise<Json> => {
  const { source: _, ...rest } = order();
  return cko.payments.request({ ...rest, source: { type: "token", token } });
};

test("the official SDK exchanges the tokens of both wallets with the public key, and charges the results", async () => {
  for (const [wallet, type] of [
    ["google_pay", "googlepay"],
    ["apple_pay", "applepay"],
  ] as const) {
    const data = await newToken(wallet);
    const exchanged = await exchange(publicKey, type, data);
    assert.match(exchanged.token, /^tok_\w{26}$/);
    assert.deepEqual([exchanged.type, exchanged.last4], [type, "4242"]);
    const paid = await payWith(exchanged.token);
    assert.deepEqual([paid.approved, paid.source.last4], [true, "4242"]);
    const again = await errorOf(payWith(exchanged.token));
    assert.deepEqual([again.http_code, again.body.error_codes], [422, ["token_used"]]);
    const repeated = await errorOf(exchange(publicKey, type, data));
    assert.deepEqual(repeated.body.error_codes, ["token_used"]);
  }
});

test("a token is exchanged only with the public key, and only if it can be decrypted", async () => {
  const data = await newToken("google_pay");
  assert.equal(
    (await errorOf(exchange(`${publicKey.slice(0, -1)}a`, "googlepay", data))).http_code,
    401,
  );
  const garbage = { ...data, signedMessage: "{}" };
  const invalid = await errorOf(exchange(publicKey, "googlepay", garbage));
  assert.deepEqual([invalid.http_code, invalid.body.error_codes], [422, ["token_data_invalid"]]);
  const other = await errorOf(exchange(publicKey, "applepay", data));
  assert.deepEqual(other.body.error_codes, ["token_data_invalid"]);
});

test("the exchange names the format of a card on file at Google, and a result expires after 15 minutes", async () => {
  const onFile = await newToken("google_pay", { authMethod: "PAN_ONLY" });
  const { token, token_format } = await exchange(publicKey, "googlepay", onFile);
  assert.equal(token_format, "pan_only");
  await control("POST clock", { advanceMs: 15 * 60 * 1000 });
  assert.deepEqual((await errorOf(payWith(token))).body.error_codes, ["token_expired"]);
});
