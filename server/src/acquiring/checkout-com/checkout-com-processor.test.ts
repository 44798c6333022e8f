import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccountId, type ConnectionId, newId, type OperationId } from "../../core/ids.ts";
import { CardNumber, GatewayToken, SecurityCode } from "../../vault/card-number.ts";
import type { Assignment } from "../connections/assignment.ts";
import { AcquirerSecret } from "../connections/connection-secrets.ts";
import type { AuthorizationOutcome } from "../outcome.ts";
import type { AuthorizeRequest, OperationKind } from "../processor.ts";
import { type ScriptedResponse, scriptedClient } from "../scripted-client.fixture.ts";
import { createCheckoutComProcessor } from "./checkout-com-processor.ts";
import { requestValidator } from "./openapi.fixture.ts";

const validator = requestValidator();
const created = new Date("2026-11-27T12:00:00Z");
const account = "acct_01jb0000000000000000000001" as AccountId;
const payment = "pay_mbabizu24mvu3mela5njyhpit4";
const reference = newId("ch", created);
const operation = newId("op", created) as OperationId;
const price = { amountMinor: 1999, currency: "eur" as const };

/** Returns a processor whose requests get these responses, `ageMs` after the charge was created. */
function processorWith(responses: readonly ScriptedResponse[], ageMs = 0) {
  const client = scriptedClient(responses);
  const late: AuthorizationOutcome[] = [];
  const processor = createCheckoutComProcessor({
    assignment: {
      connection: "con_01jb0000000000000000000001" as ConnectionId,
      merchantAccount: "pc_fieldwarefieldwarefieldware",
      descriptor: null,
    } as Assignment,
    access: { client, secretKey: new AcquirerSecret("sk_unused") },
    publicKey: "pk_sbox_unused",
    idempotencySecret: Buffer.alloc(32, 7),
    clock: { now: () => new Date(created.getTime() + ageMs) },
    random: () => 0,
    onLateOutcome: (_, outcome) => late.push(outcome),
  });
  /** Returns the sent requests. Each is valid in Checkout.com's OpenAPI document. */
  const sent = () =>
    client.sent.map(({ method, path, body }) => {
      if (typeof validator !== "string") {
        validator({ method, path, body: body === null ? null : JSON.parse(String(body)) });
      }
      return `${method} ${path.split("?")[0]?.replace(payment, "{id}")}`;
    });
  return { processor, client, sent };
}

const found = (status: string, more: object = {}) => ({
  id: payment,
  reference,
  amount: 1999,
  currency: "EUR",
  approved: true,
  status,
  ...more,
});
const list = (...data: object[]) => ({ status: 200, body: { data } });
const details = (status: string, more: object = {}) => ({ status: 200, body: found(status, more) });
const actions = (...body: object[]) => ({ status: 200, body });

const sentCharge = {
  account,
  reference,
  price,
  capture: true,
  statementDescriptor: null,
  acquirerReference: null,
  attempt: "0.1",
  series: "0",
};

const authorization: AuthorizeRequest = {
  account,
  reference,
  price,
  capture: true,
  card: {
    number: new CardNumber("4111111111111111"),
    expMonth: 3,
    expYear: 2030,
    securityCode: new SecurityCode("737"),
    postalCode: null,
    addressLine1: null,
  },
  authentication: null,
};

const operationOf = (kind: OperationKind) => ({
  account,
  kind,
  reference: operation,
  charge: reference,
  chargeReference: payment,
  price,
});

test("a payment that Checkout.com does not process is sent again with the same bytes and key", async () => {
  const { processor, client } = processorWith([
    { status: 429 },
    { status: 409, body: { error_type: "request_invalid", error_codes: ["in_progress"] } },
    { status: 201, body: found("Authorized", { response_code: "10000" }) },
  ]);
  assert.equal((await processor.authorize(authorization)).kind, "approved");
  const copies = client.sent.map(({ body, headers }) => [body, headers["cko-idempotency-key"]]);
  assert.equal(new Set(copies.map((copy) => copy.join())).size, 1);
});

test("a verification of a card has an amount of zero", async () => {
  const reference = "cv_01jbqw3e4r5t6y7z8x9cvbnmas";
  const body = found("Card Verified", { amount: 0, response_code: "10000", reference });
  const { processor, sent } = processorWith([{ status: 201, body }]);
  const { price: _, capture: __, ...request } = authorization;
  const outcome = await processor.verifyCard?.({ ...request, reference, currency: "eur" });
  assert.ok(outcome?.kind === "approved" && outcome.approvedMinor === 0);
  assert.deepEqual(sent(), ["POST /payments"]);
});

test("an inquiry that finds no payment has a result only after a minute", async () => {
  for (const [ageMs, kind] of [
    [0, "unknown"],
    [59_999, "unknown"],
    [60_000, "not_found"],
  ] as const) {
    const { processor, sent } = processorWith([list()], ageMs);
    assert.equal((await processor.inquire?.(sentCharge))?.kind, kind);
    assert.deepEqual(sent(), ["GET /payments"]);
  }
});

test("an inquiry returns the outcome of the payment, with the code of a decline", async () => {
  for (const [responses, kind] of [
    [[details("Captured")], "approved"],
    [[details("Pending")], "pending"],
    [
      [details("Pending", { _links: { redirect: { href: "https://3ds.checkout.com/x" } } })],
      "pending",
    ],
    [[details("Voided")], "not_sent"],
    [[{ status: 404 }], "unknown"],
    [["lost"], "unknown"],
  ] as const) {
    const { processor } = processorWith([list(found("Authorized")), ...responses]);
    const outcome = await processor.inquire?.(sentCharge);
    assert.equal(outcome?.kind, kind, JSON.stringify(responses));
  }
  const declined = { type: "Authorization", approved: false, response_code: "20051" };
  const known = { ...sentCharge, acquirerReference: payment };
  const { processor, sent } = processorWith([details("Declined"), actions(declined)]);
  const outcome = await processor.inquire?.(known);
  assert.ok(outcome?.kind === "declined" && outcome.code === "insufficient_funds");
  assert.deepEqual(sent(), ["GET /payments/{id}", "GET /payments/{id}/actions"]);
});

test("an expired payment was declined, unless it was approved before", async () => {
  const known = { ...sentCharge, acquirerReference: payment };
  const unanswered = processorWith([details("Expired"), actions()]);
  const outcome = await unanswered.processor.inquire?.(known);
  assert.ok(outcome?.kind === "declined" && outcome.code === "authentication_timed_out");
  const approved = { type: "Authorization", approved: true, response_code: "10000" };
  const { processor } = processorWith([details("Expired"), actions(approved)]);
  assert.equal((await processor.inquire?.(known))?.kind, "not_sent");
});

test("a payment that is not found is never reversed", async () => {
  const { processor } = processorWith([list()], 24 * 60 * 60 * 1000);
  assert.equal((await processor.reverse(sentCharge)).kind, "unknown");
});

test("a reversal voids or refunds the payment, and is confirmed by its status", async () => {
  const accepted = { status: 202, body: { action_id: "act_1" } };
  for (const [status, request] of [
    ["Authorized", "POST /payments/{id}/voids"],
    ["Captured", "POST /payments/{id}/refunds"],
  ] as const) {
    const { processor, sent } = processorWith([
      list(found(status)),
      details(status),
      actions(),
      accepted,
    ]);
    assert.equal((await processor.reverse(sentCharge)).kind, "pending");
    assert.equal(sent().at(-1), request);
  }
  const { processor } = processorWith([list(found("Voided")), details("Voided")]);
  assert.equal((await processor.reverse(sentCharge)).kind, "reversed");
});

test("a reversal that is still being processed is not requested again", async () => {
  const pending = { type: "Void", reference: reference.replace("ch_", "rv_"), amount: 1999 };
  const { processor, sent } = processorWith([
    list(found("Authorized")),
    details("Authorized"),
    actions(pending),
  ]);
  assert.equal((await processor.reverse(sentCharge)).kind, "pending");
  assert.ok(sent().every((request) => request.startsWith("GET ")));
});

test("after the return of a cardholder, the status of the payment decides, whatever the URL contains", async () => {
  const { processor, sent } = processorWith([details("Authorized")]);
  const request = { account, reference, price, network: null, resume: payment };
  const outcome = await processor.resume?.({ ...request, redirectResult: "sid_of_another" });
  assert.equal(outcome?.kind, "approved");
  assert.deepEqual(sent(), ["GET /payments/{id}"]);
});

test("a rejected operation may have been executed before", async () => {
  const executed = { type: "Capture", reference: operation, amount: 1999, approved: true, id: "a" };
  for (const [kind, responses, outcome] of [
    ["capture", [{ status: 403 }, actions(executed)], "done"],
    ["capture", [{ status: 403 }, actions()], "rejected"],
    ["capture", [{ status: 403 }, "lost"], "unknown"],
    // An authorization that has expired can no longer be voided.
    ["void", [{ status: 403 }, actions(), details("Expired")], "done"],
    ["void", [{ status: 403 }, actions(), details("Captured")], "rejected"],
    // The automatic capture of a sale follows its approval.
    ["refund", [{ status: 403 }, actions(), details("Authorized")], "unknown"],
    ["refund", [{ status: 403 }, actions(), details("Refunded")], "rejected"],
  ] as const) {
    const { processor, sent } = processorWith(responses);
    const result = await processor.operate(operationOf(kind));
    assert.equal(result.kind, outcome, `${kind} ${JSON.stringify(responses)}`);
    sent();
  }
});

test("a void is found by its reference, or by the end of the authorization", async () => {
  for (const [responses, kind] of [
    [[actions(), details("Authorized")], "not_found"],
    [[actions(), details("Expired")], "done"],
    [[actions(), { status: 500 }], "unknown"],
    [[{ status: 404 }], "unknown"],
  ] as const) {
    const { processor } = processorWith(responses);
    const result = await processor.inquireOperation?.(operationOf("void"));
    assert.equal(result?.kind, kind, JSON.stringify(responses));
  }
});

const walletToken = "tok_4gzeau5o2uqubbk6fufs3m7p54";
const exchanged = (more: object = {}) => ({
  status: 201,
  body: { type: "googlepay", token: walletToken, token_format: "cryptogram_3ds", ...more },
});

function tokenRequest() {
  const { card: _, authentication: __, ...request } = authorization;
  const token = new GatewayToken('{"protocolVersion":"ECv2","signature":"s","signedMessage":"m"}');
  return { ...request, wallet: "google_pay" as const, token };
}

test("a wallet's token is exchanged with the public key, and the new token is charged with the secret key", async () => {
  const { processor, client, sent } = processorWith([
    exchanged(),
    { status: 201, body: found("Authorized", { response_code: "10000" }) },
  ]);
  const outcome = await processor.authorizeGatewayToken?.(tokenRequest());
  assert.equal(outcome?.kind, "approved");
  assert.deepEqual(sent(), ["POST /tokens", "POST /payments"]);
  assert.deepEqual(
    client.sent.map(({ headers }) => headers.authorization),
    ["Bearer pk_sbox_unused", "Bearer sk_unused"],
  );
  const [exchange, payment] = client.sent.map(({ body }) => JSON.parse(String(body)));
  assert.deepEqual(exchange.token_data, {
    protocolVersion: "ECv2",
    signature: "s",
    signedMessage: "m",
  });
  assert.deepEqual(payment.source, { type: "token", token: walletToken });
});

test("a payment with a wallet's token is not sent if the token is invalid, or Checkout.com is not reached", async () => {
  const rejected = (why: string) => ({ kind: "rejected", why });
  for (const [response, expected] of [
    [
      { status: 422, body: { error_type: "request_invalid", error_codes: ["token_data_invalid"] } },
      rejected("wallet_token"),
    ],
    [exchanged({ token_format: "pan_only" }), rejected("wallet_token")],
    [exchanged({ token_format: undefined }), rejected("wallet_token")],
    [exchanged({ token_format: "another" }), rejected("wallet_token")],
    [{ status: 401 }, rejected("invalid_request")],
    [{ status: 429 }, rejected("rate_limited")],
    // A proxy can return these responses. The exchange moves no money, so they too count as rejections.
    [{ status: 400, body: "<html>" }, rejected("invalid_request")],
    [{ status: 403, body: "<html>" }, rejected("invalid_request")],
    [{ status: 413, body: "" }, rejected("invalid_request")],
    [{ status: 422, body: { message: "invalid" } }, rejected("invalid_request")],
    [{ status: 500, body: "" }, { kind: "not_sent" }],
    [{ status: 201, body: { token: "another form" } }, { kind: "not_sent" }],
    [{ status: 502, body: "<html>" }, { kind: "not_sent" }],
    ["lost", { kind: "not_sent" }],
    ["not_sent", { kind: "not_sent" }],
  ] as const) {
    const { processor, sent } = processorWith([response]);
    const outcome = await processor.authorizeGatewayToken?.(tokenRequest());
    assert.partialDeepStrictEqual(outcome, expected);
    assert.deepEqual(sent(), ["POST /tokens"]);
  }
});

test("a payment with a wallet's token has an unknown outcome if its response is lost", async () => {
  const { processor, sent } = processorWith([exchanged(), "lost"]);
  const outcome = await processor.authorizeGatewayToken?.(tokenRequest());
  assert.equal(outcome?.kind, "unknown");
  assert.deepEqual(sent(), ["POST /tokens", "POST /payments"]);
});

test("the format of an exchanged token may be written in upper case, and Apple Pay's token has none", async () => {
  for (const [wallet, token_format] of [
    ["google_pay", "CRYPTOGRAM_3DS"],
    ["apple_pay", undefined],
  ] as const) {
    const { processor } = processorWith([
      exchanged({ token_format }),
      { status: 201, body: found("Authorized", { response_code: "10000" }) },
    ]);
    const outcome = await processor.authorizeGatewayToken?.({ ...tokenRequest(), wallet });
    assert.equal(outcome?.kind, "approved");
  }
});

test("a forbidden payment with a wallet's token is not reported as rejected credentials, and a rejected key is", async () => {
  for (const [status, why] of [
    [401, "credentials"],
    [403, "invalid_request"],
  ] as const) {
    const { processor } = processorWith([exchanged(), { status }]);
    const outcome = await processor.authorizeGatewayToken?.(tokenRequest());
    assert.partialDeepStrictEqual(outcome, { kind: "rejected", why });
  }
});

test("a token that was used in the meantime is rejected", async () => {
  const { processor } = processorWith([
    exchanged(),
    { status: 422, body: { error_type: "request_invalid", error_codes: ["token_used"] } },
  ]);
  const outcome = await processor.authorizeGatewayToken?.(tokenRequest());
  assert.partialDeepStrictEqual(outcome, { kind: "rejected", why: "wallet_token" });
});
