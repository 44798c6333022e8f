import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import Stripe from "stripe";
import { startStripeFake } from "./stripe-fake.ts";

const webhookSecret = "whsec_test";
const received: { body: string; signature: string }[] = [];
const receiver = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    received.push({ body, signature: String(request.headers["stripe-signature"]) });
    response.writeHead(200).end();
  });
});
await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/events`;
const fake = await startStripeFake({
  accounts: [
    { id: "acct_one", secretKey: "sk_test_one", webhookSecret, webhookUrl },
    { id: "acct_connected", platform: "acct_one", webhookSecret, webhookUrl },
  ],
});
after(async () => {
  await fake.close();
  receiver.closeAllConnections();
  receiver.close();
});
const connect = (key: string) =>
  new Stripe(key, { host: "127.0.0.1", port: fake.port, protocol: "http", maxNetworkRetries: 0 });
const stripe = connect("sk_test_one");

async function control(command: string, body: object = {}) {
  const [method = "", path = ""] = command.split(" ");
  const text = method === "GET" ? null : JSON.stringify(body);
  const response = await fetch(`${fake.url}/control/${path}`, { method, body: text });
  assert.equal(response.status, 200, command);
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields that it reads
  return (await response.json()) as Record<string, any>;
}

/** Returns the event, after the official package has verified its signature. */
async function eventOf(type: string, object: string): Promise<Stripe.Event> {
  for (let tries = 0; tries < 300; tries++) {
    for (const { body, signature } of received) {
      const event = stripe.webhooks.constructEvent(body, signature, webhookSecret);
      if (event.type === type && (event.data.object as { id: string }).id === object) return event;
    }
    await sleep(10);
  }
  assert.fail(`no event ${type} of ${object}`);
}

const approved = "4111111111111111";
const create = (params: Partial<Stripe.PaymentIntentCreateParams> = {}, options = {}) =>
  stripe.paymentIntents.create(
    {
      amount: 1999,
      currency: "eur",
      confirmation_method: "manual",
      allowed_payment_method_types: ["card"],
      metadata: { florin_charge: "ch_1" },
      ...params,
    },
    options,
  );

const card = (number: string) =>
  ({
    payment_method_data: {
      type: "card",
      card: { number, exp_month: 12, exp_year: 2040, cvc: "123" },
    },
    expand: ["latest_charge"],
  }) as unknown as Stripe.PaymentIntentConfirmParams;

const confirm = (id: string, number = approved, more = {}) =>
  stripe.paymentIntents.confirm(id, { ...card(number), ...more });

async function errorOf(request: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  const error = await request.then(
    () => assert.fail("the request succeeded"),
    (thrown) => thrown,
  );
  assert.ok(error instanceof Stripe.errors.StripeError, String(error));
  return error;
}

test("the official package charges a card, and the event of the sale has a valid signature", async () => {
  const { id } = await create();
  const sale = await confirm(id);
  assert.deepEqual([sale.status, sale.amount_received], ["succeeded", 1999]);
  const charge = sale.latest_charge as Stripe.Charge;
  assert.equal(charge.metadata.florin_charge, "ch_1");
  assert.equal(charge.payment_method_details?.card?.checks?.cvc_check, "pass");
  const event = await eventOf("payment_intent.succeeded", id);
  assert.equal(event.livemode, false);
  assert.equal(event.account, undefined);
});

test("a hold is captured in part, and the rest of the authorization is released", async () => {
  const { id } = await create({ capture_method: "manual" });
  const held = await confirm(id);
  assert.deepEqual([held.status, held.amount_capturable], ["requires_capture", 1999]);
  const captured = await stripe.paymentIntents.capture(id, { amount_to_capture: 700 });
  assert.deepEqual(
    [captured.status, captured.amount_received, captured.amount_capturable],
    ["succeeded", 700, 0],
  );
  const repeated = await errorOf(stripe.paymentIntents.capture(id));
  assert.equal(repeated.code, "payment_intent_unexpected_state");
});

test("a canceled payment rejects a confirmation that arrives later", async () => {
  const { id } = await create();
  assert.equal((await stripe.paymentIntents.cancel(id)).status, "canceled");
  const late = await errorOf(confirm(id));
  assert.equal(late.code, "payment_intent_unexpected_state");
  assert.equal(late.payment_intent?.status, "canceled");
});

test("a decline has the codes of the issuer and of the network", async () => {
  const { id } = await create();
  const error = await errorOf(confirm(id, "4000000000009995"));
  assert.ok(error instanceof Stripe.errors.StripeCardError);
  assert.deepEqual(
    [error.code, error.decline_code, error.network_decline_code, error.advice_code],
    ["card_declined", "insufficient_funds", "51", "try_again_later"],
  );
  const declined = await stripe.paymentIntents.retrieve(id, { expand: ["latest_charge"] });
  assert.equal(declined.status, "requires_payment_method");
  assert.equal(declined.last_payment_error?.decline_code, "insufficient_funds");
  assert.equal((declined.latest_charge as Stripe.Charge).status, "failed");
});

test("an idempotency key executes a request once within 24 hours, and belongs to one request", async () => {
  const first = await create({}, { idempotencyKey: "key one" });
  const again = await create({}, { idempotencyKey: "key one" });
  assert.equal(again.id, first.id);
  const other = await errorOf(create({ amount: 5 }, { idempotencyKey: "key one" }));
  assert.equal(other.type, "StripeIdempotencyError");
  await control("POST clock", { advanceMs: 24 * 60 * 60 * 1000 });
  assert.notEqual((await create({}, { idempotencyKey: "key one" })).id, first.id);
});

test("a payment is found by its metadata after a minute", async () => {
  const { id } = await create({ metadata: { florin_charge: "ch_searched" } });
  const search = () =>
    stripe.paymentIntents.search({ query: "metadata['florin_charge']:'ch_searched'" });
  assert.deepEqual((await search()).data, []);
  await control("POST clock", { advanceMs: 61_000 });
  assert.deepEqual(
    (await search()).data.map((found) => found.id),
    [id],
  );
});

test("a cardholder authenticates on Stripe's page, and the payment waits for another confirmation", async () => {
  const { id } = await create();
  const redirected = await confirm(id, "4000000000003220", {
    return_url: "https://shop.example/return",
  });
  assert.equal(redirected.status, "requires_action");
  const url = redirected.next_action?.redirect_to_url?.url as string;
  assert.match(await (await fetch(url)).text(), /Authenticate/);
  const page = { method: "POST", body: "outcome=authenticate", redirect: "manual" } as const;
  const location = new URL((await fetch(url, page)).headers.get("location") as string);
  assert.equal(location.searchParams.get("payment_intent"), id);
  assert.equal((await stripe.paymentIntents.retrieve(id)).status, "requires_confirmation");
  const paid = await stripe.paymentIntents.confirm(id, { expand: ["latest_charge"] });
  assert.equal(paid.status, "succeeded");
  const { card } = (paid.latest_charge as Stripe.Charge).payment_method_details ?? {};
  assert.equal(card?.three_d_secure?.result, "authenticated");
});

test("a failed authentication declines the payment, and no authentication is possible without a redirect", async () => {
  const failing = await create();
  const { next_action } = await confirm(failing.id, "4000000000003220", {
    return_url: "https://shop.example/return",
  });
  const url = next_action?.redirect_to_url?.url as string;
  await fetch(url, { method: "POST", body: "outcome=fail", redirect: "manual" });
  const failed = await stripe.paymentIntents.retrieve(failing.id);
  assert.equal(failed.last_payment_error?.code, "payment_intent_authentication_failure");
  const { id } = await create();
  const error = await errorOf(confirm(id, "4000000000003220", { error_on_requires_action: true }));
  assert.equal(error.code, "authentication_required");
});

test("a refund is executed once, and a failed one returns the money to the account", async () => {
  const { id } = await create();
  await confirm(id);
  const params = { payment_intent: id, amount: 700, metadata: { florin_operation: "op_1" } };
  const refund = await stripe.refunds.create(params, { idempotencyKey: "refund" });
  assert.equal((await stripe.refunds.create(params, { idempotencyKey: "refund" })).id, refund.id);
  assert.equal((await stripe.refunds.list({ payment_intent: id })).data.length, 1);
  await control(`POST refunds/${refund.id}/fail`);
  await eventOf("refund.failed", refund.id);
  const { transactions } = await control("GET ledger");
  const ofRefund = transactions.filter(({ source }: { source: string }) => source === refund.id);
  assert.deepEqual(
    ofRefund.map(({ amount }: { amount: number }) => amount),
    [-700, 700],
  );
});

test("a dispute withdraws the money, takes evidence with a file, and returns the money when it is won", async () => {
  const { id } = await create();
  await confirm(id);
  const { dispute } = await control("POST disputes", { payment: id, networkReasonCode: "13.1" });
  const created = await eventOf("charge.dispute.created", dispute.id);
  assert.deepEqual((created.data.object as Stripe.Dispute).metadata, {});
  const file = await stripe.files.create({
    purpose: "dispute_evidence",
    file: { data: Buffer.from("%PDF-1.7"), name: "evidence.pdf", type: "application/pdf" },
  });
  const updated = await stripe.disputes.update(dispute.id, {
    evidence: { uncategorized_file: file.id, uncategorized_text: "Delivered." },
  });
  assert.equal(updated.status, "under_review");
  await control(`POST disputes/${dispute.id}/close`, { status: "won" });
  const closed = await eventOf("charge.dispute.closed", dispute.id);
  assert.equal((closed.data.object as Stripe.Dispute).status, "won");
});

test("the movements of a payout add up to the amount that is paid out", async () => {
  const { id } = await create({ currency: "gbp" });
  await confirm(id);
  const { payouts } = await control("POST payouts", { account: "acct_one" });
  const payout = payouts.find(({ currency }: { currency: string }) => currency === "gbp");
  await eventOf("payout.reconciliation_completed", payout.id);
  const { data } = await stripe.balanceTransactions.list({
    payout: payout.id,
    expand: ["data.source"],
  });
  assert.equal(
    data.reduce((sum, { net }) => sum + net, 0),
    0,
  );
  const sources = data.filter(({ type }) => type === "charge").map(({ source }) => source);
  assert.deepEqual(
    sources.map((source) => (source as Stripe.Charge).metadata.florin_charge),
    ["ch_1"],
  );
});

test("a partial capture and a failed payout each have a movement that returns the amount", async () => {
  const { id } = await create({ currency: "chf", capture_method: "manual" });
  await confirm(id);
  await stripe.paymentIntents.capture(id, { amount_to_capture: 1500 });
  const payOut = async () => {
    const { payouts } = await control("POST payouts", { account: "acct_one" });
    return payouts.find(({ currency }: { currency: string }) => currency === "chf");
  };
  const movementsOf = async (payout: string) =>
    (await stripe.balanceTransactions.list({ payout })).data
      .map(({ reporting_category, amount, fee }) => [reporting_category, amount, fee])
      .reverse();
  const first = await payOut();
  assert.deepEqual(await movementsOf(first.id), [
    ["charge", 1999, 88],
    ["partial_capture_reversal", -499, -14],
    ["payout", -1426, 0],
  ]);
  await control(`POST payouts/${first.id}/fail`);
  await eventOf("payout.failed", first.id);
  const second = await payOut();
  assert.deepEqual(await movementsOf(second.id), [
    ["payout_reversal", 1426, 0],
    ["payout", -1426, 0],
  ]);
});

test("a connected account has its own payments, and its events name it", async () => {
  const options = { stripeAccount: "acct_connected" };
  const { id } = await create({}, options);
  assert.equal((await errorOf(stripe.paymentIntents.retrieve(id))).code, "resource_missing");
  const event = await eventOf("payment_intent.created", id);
  assert.equal(event.account, "acct_connected");
  assert.equal((await stripe.paymentIntents.retrieve(id, {}, options)).id, id);
  const foreign = await errorOf(create({}, { stripeAccount: "acct_other" }));
  assert.equal(foreign.type, "StripePermissionError");
  const unknown = await errorOf(connect("sk_test_unknown").paymentIntents.retrieve(id));
  assert.equal(unknown.type, "StripeAuthenticationError");
});

test("faults cut, delay or replace one response, and an event is lost until it is sent again", async () => {
  // Even without retries, the package resends a request if its connection is closed before the response.
  for (let cuts = 0; cuts < 2; cuts++) {
    await control("POST faults", { endpoint: "create", fault: "cut_before_response" });
  }
  assert.equal((await errorOf(create())).type, "StripeConnectionError");
  await control("POST faults", { endpoint: "create", fault: "too_many_requests" });
  assert.equal((await errorOf(create())).type, "StripeRateLimitError");
  await control("POST faults", { endpoint: "confirm", fault: "lost_event" });
  const { id } = await create();
  await confirm(id);
  const { events } = await control("GET events?state=lost");
  assert.equal(events.length, 1);
  await control(`POST events/${events[0].id}/send`);
  await eventOf("payment_intent.succeeded", id);
});

const setup = (number: string, more: Partial<Stripe.SetupIntentCreateParams> = {}, options = {}) =>
  stripe.setupIntents.create(
    {
      confirm: true,
      usage: "off_session",
      allowed_payment_method_types: ["card"],
      metadata: { florin_verification: "cv_1" },
      ...(card(number) as Stripe.SetupIntentCreateParams),
      expand: ["latest_attempt"],
      ...more,
    },
    options,
  );

test("a setup intent verifies a card, moves no money, and is executed once for its key", async () => {
  const once = { idempotencyKey: "verify once" };
  const verified = await setup(approved, {}, once);
  assert.equal(verified.status, "succeeded");
  const attempt = verified.latest_attempt as Stripe.SetupAttempt;
  assert.equal(attempt.payment_method_details.card?.checks?.cvc_check, "pass");
  assert.equal((await setup(approved, {}, once)).id, verified.id);
  const { transactions } = await control("GET ledger");
  const sources: string[] = transactions.map(({ source }: { source: string }) => source);
  assert.ok(!sources.some((source) => source.startsWith("seti_")));
  await eventOf("setup_intent.succeeded", verified.id);
});

test("the error of a declined card contains its setup intent", async () => {
  const error = await errorOf(setup("4000000000009995"));
  const { code, decline_code, setup_intent } = error;
  assert.deepEqual([code, decline_code], ["card_declined", "insufficient_funds"]);
  assert.equal(setup_intent?.status, "requires_payment_method");
  assert.equal(setup_intent?.last_setup_error?.decline_code, "insufficient_funds");
});

for (const [choice, status] of [
  ["authenticate", "succeeded"],
  ["fail", "requires_payment_method"],
] as const) {
  test(`after the page, a setup intent is complete without another confirmation: ${choice}`, async () => {
    const started = await setup("4000002500003155", { return_url: "http://127.0.0.1:1/back" });
    assert.equal(started.status, "requires_action");
    const url = started.next_action?.redirect_to_url?.url as string;
    assert.equal((await fetch(url)).status, 200);
    const chosen = await fetch(url, {
      method: "POST",
      body: new URLSearchParams({ outcome: choice }),
      redirect: "manual",
    });
    const back = new URL(chosen.headers.get("location") as string);
    assert.equal(back.searchParams.get("setup_intent"), started.id);
    assert.equal((await stripe.setupIntents.retrieve(started.id)).status, status);
  });
}

const tokenCommand = { account: "acct_one", number: approved };
const newToken = async (more: object = {}): Promise<Stripe.Token> =>
  (await control("POST wallet_tokens", { ...tokenCommand, ...more })).token;
const confirmToken = (id: string, token: string) =>
  stripe.paymentIntents.confirm(id, {
    payment_method_data: { type: "card", card: { token } },
    expand: ["latest_charge"],
  } as unknown as Stripe.PaymentIntentConfirmParams);

test("a token of Google Pay is charged once, and its card names the wallet", async () => {
  const { id: token } = await newToken();
  const read = await stripe.tokens.retrieve(token);
  assert.deepEqual(
    [read.object, read.type, read.used, read.card?.tokenization_method, read.card?.last4],
    ["token", "card", false, "google_pay", "1111"],
  );
  const sale = await confirmToken((await create()).id, token);
  assert.equal(sale.status, "succeeded");
  const charge = sale.latest_charge as Stripe.Charge;
  assert.equal(charge.payment_method_details?.card?.wallet?.type, "google_pay");
  assert.equal((await stripe.tokens.retrieve(token)).used, true);
  const again = await errorOf(confirmToken((await create()).id, token));
  assert.deepEqual([again.statusCode, again.code], [400, "token_already_used"]);
});

test("a token of a typed card has no tokenization method, and an unknown token is rejected", async () => {
  const { id } = await newToken({ wallet: null });
  assert.equal((await stripe.tokens.retrieve(id)).card?.tokenization_method, null);
  assert.equal((await errorOf(stripe.tokens.retrieve("tok_unknown0"))).code, "resource_missing");
  const unknown = await errorOf(confirmToken((await create()).id, "tok_unknown0"));
  assert.equal(unknown.code, "resource_missing");
  const foreign = await newToken({ account: "acct_connected" });
  assert.equal((await errorOf(stripe.tokens.retrieve(foreign.id))).code, "resource_missing");
});

test("a declined token of Google Pay is used, and cannot be charged again", async () => {
  const { id: token } = await newToken({ number: "4000000000009995" });
  const declined = await errorOf(confirmToken((await create()).id, token));
  assert.equal(declined.decline_code, "insufficient_funds");
  assert.equal((await stripe.tokens.retrieve(token)).used, true);
});
