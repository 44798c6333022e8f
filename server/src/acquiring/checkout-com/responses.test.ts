import assert from "node:assert/strict";
import { test } from "node:test";
import type { HttpResponse } from "../outcome.ts";
import {
  actionsOf,
  authorizationCodeIn,
  operationIn,
  operationOutcome,
} from "./action-responses.ts";
import { failureOf } from "./response-failures.ts";
import {
  authorizationOutcome,
  authorizationState,
  foundOutcome,
  reversalStep,
  searchOutcome,
  statusOutcomes,
} from "./responses.ts";

const now = new Date("2026-11-27T12:00:00Z");
const reference = "ch_01jb0000000000000000000001";
const sent = { reference, price: { amountMinor: 6540, currency: "usd" as const }, network: null };

const response = (status: number, body: unknown): HttpResponse => ({
  status,
  headers: {},
  body: typeof body === "string" ? body : JSON.stringify(body),
});

/** The example of `POST /payments` in nas-openapi.json, with our reference. */
const approved = {
  id: "pay_mbabizu24mvu3mela5njyhpit4",
  action_id: "act_mbabizu24mvu3mela5njyhpit4",
  amount: 6540,
  currency: "USD",
  approved: true,
  status: "Authorized",
  auth_code: "770687",
  response_code: "10000",
  response_summary: "Approved",
  "3ds": { downgraded: true, enrolled: "N" },
  source: {
    type: "card",
    scheme: "VISA",
    last4: "4242",
    expiry_month: 8,
    expiry_year: 2031,
    card_type: "Credit",
    issuer_country: "US",
    avs_check: "Y",
    cvv_check: "D",
  },
  reference,
  eci: "06",
  scheme_id: "489341065491658",
};
const declined = { ...approved, approved: false, status: "Declined", response_code: "20051" };

const authorize = (status: number, body: unknown) =>
  authorizationOutcome(response(status, body), sent, now);

test("an approval has the details of Checkout.com's example", () => {
  assert.deepEqual(authorize(201, approved), {
    kind: "approved",
    approvedMinor: 6540,
    details: {
      acquirerReference: approved.id,
      authorizationCode: "770687",
      eci: "06",
      liabilityShifted: false,
      networkTransactionId: "489341065491658",
      networkAdviceCode: null,
      checks: { cvcCheck: "fail", addressLine1Check: "pass", addressPostalCodeCheck: "pass" },
      card: {
        brand: "visa",
        funding: "credit",
        country: "US",
        last4: "4242",
        expiry: { month: 8, year: 2031 },
      },
      accountUpdate: null,
    },
  });
});

test("a decline has the code of its response and the advice of the network", () => {
  const processing = { recommendation_code: "02", partner_merchant_advice_code: "24" };
  const outcome = authorize(201, { ...declined, processing });
  assert.ok(outcome.kind === "declined");
  assert.deepEqual(
    [outcome.code, outcome.networkDeclineCode, outcome.retry, outcome.details.networkAdviceCode],
    ["insufficient_funds", "51", "later", "24"],
  );
  assert.deepEqual(outcome.notBefore, new Date("2026-11-27T13:00:00Z"));
});

test("a payment that waits for the cardholder redirects to an HTTPS page only", () => {
  const { id } = approved;
  const pending = (href: string) =>
    authorize(202, { id, status: "Pending", reference, _links: { redirect: { href } } });
  assert.deepEqual(pending("https://3ds.checkout.com/sid_1"), {
    kind: "requires_action",
    redirect: { url: "https://3ds.checkout.com/sid_1", method: "GET", fields: {} },
    resume: id,
    acquirerReference: id,
  });
  assert.equal(pending("http://3ds.example.com/").kind, "unknown");
  assert.deepEqual(authorize(202, { id, status: "Pending", reference }), {
    kind: "pending",
    acquirerReference: id,
  });
});

test("a response that contradicts the request leaves the outcome unknown", () => {
  for (const change of [
    { reference: "ch_01jb0000000000000000000009" },
    { amount: 6541 },
    { currency: "EUR" },
    { amount: "6540" },
    { approved: false },
    { response_code: "20051" },
    { status: "Paid" },
    { status: "Voided" },
    { id: "act_1" },
  ]) {
    const outcome = authorize(201, { ...approved, ...change });
    assert.equal(outcome.kind, "unknown", JSON.stringify(change));
  }
});

test("a smaller amount is a partial approval", () => {
  const outcome = authorize(201, { ...approved, amount: 1000, response_code: "10010" });
  assert.ok(outcome.kind === "approved");
  assert.equal(outcome.approvedMinor, 1000);
});

const error = (...codes: string[]) => ({
  request_id: "0HL80RJLS76I7",
  error_type: "request_invalid",
  error_codes: codes,
});

test("only a response in Checkout.com's format shows that it did not process the request", () => {
  for (const [status, body, kind] of [
    [422, error("amount_invalid"), "rejected"],
    [401, "", "rejected"],
    [403, "", "rejected"],
    [404, "", "rejected"],
    [401, "<html>", "unknown"],
    [422, "", "unknown"],
    [422, { message: "invalid" }, "unknown"],
    [429, "", "retry_same_request"],
    [429, error("too_many_requests"), "retry_same_request"],
    [429, "<html>", "unknown"],
    [409, error("request_in_progress"), "retry_same_request"],
    [500, "", "unknown"],
    [502, "<html>", "unknown"],
    [201, "not JSON", "unknown"],
    [204, "", "unknown"],
  ] as const) {
    assert.equal(authorize(status, body).kind, kind, `${status} ${JSON.stringify(body)}`);
  }
});

test("a rejection states whether the key, the card or the request is wrong", () => {
  for (const [status, body, why] of [
    [401, "", "credentials"],
    [403, "", "credentials"],
    [422, error("card_number_invalid"), "card_data"],
    [422, error("cvv_invalid"), "card_data"],
    [422, error("card_expiry_month_invalid"), "card_data"],
    [422, error("card_holder_invalid"), "invalid_request"],
    [422, error("currency_invalid", "amount_invalid"), "invalid_request"],
  ] as const) {
    const outcome = authorize(status, body);
    assert.ok(outcome.kind === "rejected");
    assert.equal(outcome.why, why, JSON.stringify(body));
  }
});

test("too many requests reject a payment, and leave the outcome of an operation unknown", () => {
  const tooMany = response(429, error("too_many_requests"));
  const ofPayment = authorizationOutcome(tooMany, sent, now);
  assert.ok(ofPayment.kind === "retry_same_request");
  assert.equal(ofPayment.otherwise.kind, "rejected");
  const ofOperation = operationOutcome(tooMany, { reference: "op_1" });
  assert.ok(ofOperation.kind === "retry_same_request");
  assert.equal(ofOperation.otherwise.kind, "unknown");
});

test("every status of a payment has an outcome", () => {
  for (const [status, expected] of Object.entries(statusOutcomes)) {
    const found = foundOutcome(response(200, { ...approved, status }), sent);
    const kind = expected === "declined" ? "not_approved" : expected;
    assert.equal(found.kind, kind, status);
  }
});

test("an inquiry by reference finds the payment that holds money, and two such payments are an unknown outcome", () => {
  const list = (...data: object[]) =>
    searchOutcome(
      response(200, { limit: 100, skip: 0, total_count: data.length, data }),
      reference,
    );
  assert.deepEqual(list(), { kind: "found", id: null });
  assert.deepEqual(list(declined, { ...approved, id: "pay_2" }), { kind: "found", id: "pay_2" });
  assert.deepEqual(list({ ...approved, reference: "ch_other" }), { kind: "found", id: null });
  assert.equal(list(approved, { ...approved, id: "pay_2" }).kind, "unknown");
  assert.equal(searchOutcome(response(401, ""), reference).kind, "unknown");
  assert.equal(searchOutcome(response(200, "[]"), reference).kind, "unknown");
});

const operation = "op_01jb0000000000000000000002";
const action = {
  id: "act_1",
  type: "Refund",
  reference: operation,
  amount: 700,
  approved: true,
  response_code: "10000",
};
const refund = {
  kind: "refund" as const,
  reference: operation,
  price: { amountMinor: 700, currency: "usd" as const },
};

test("an accepted operation is pending, and its action has the result", () => {
  const accepted = { action_id: "act_1", reference: operation };
  assert.deepEqual(operationOutcome(response(202, accepted), refund), {
    kind: "pending",
    acquirerReference: "act_1",
  });
  assert.equal(
    operationOutcome(response(202, { ...accepted, reference: "op_2" }), refund).kind,
    "unknown",
  );
  for (const [change, kind] of [
    [{}, "done"],
    [{ approved: false, response_code: "20109" }, "declined"],
    [{ approved: undefined }, "pending"],
    [{ amount: 701 }, "unknown"],
    [{ reference: "op_2" }, "not_found"],
    [{ type: "Capture" }, "not_found"],
  ] as const) {
    const outcome = operationIn([{ ...action, ...change }], refund, "USD");
    assert.equal(outcome.kind, kind, JSON.stringify(change));
  }
});

test("the actions of a payment contain the code of its decline", () => {
  const authorization = { type: "Authorization", approved: false, response_code: "20051" };
  const read = actionsOf(response(200, [action, authorization]));
  assert.ok(read.kind === "actions");
  assert.equal(authorizationCodeIn(read.actions), "20051");
  assert.equal(authorizationCodeIn([action]), null);
  assert.equal(actionsOf(response(404, "")).kind, "unknown");
  assert.equal(actionsOf(response(200, "{}")).kind, "unknown");
});

test("a reversal voids a hold, refunds a capture and ends with the payment", () => {
  for (const [status, kind] of [
    ["Authorized", "voids"],
    ["Captured", "refunds"],
    ["Pending", "waiting"],
    ["Voided", "reversed"],
    ["Refunded", "reversed"],
    ["Declined", "reversed"],
    ["Expired", "reversed"],
    ["Partially Refunded", "unknown"],
    ["Paid", "unknown"],
  ] as const) {
    const step = reversalStep(response(200, { ...approved, status }), reference);
    assert.equal(step.kind, kind, status);
  }
  assert.equal(reversalStep(response(200, approved), "ch_other").kind, "unknown");
});

test("an authorization that has expired is released, and one that is not captured is held", () => {
  const of = (status: string) => authorizationState(response(200, { ...approved, status })).kind;
  assert.deepEqual(["Voided", "Expired", "Authorized", "Captured"].map(of), [
    "released",
    "released",
    "held",
    "other",
  ]);
});

test("the code of a rejection contains all error codes, up to a maximum length", () => {
  const failure = failureOf(response(422, error(..."abcdefgh".repeat(40))), null);
  assert.ok(failure.kind === "rejected");
  assert.ok((failure.acquirerErrorCode?.length ?? 0) <= 200);
});
