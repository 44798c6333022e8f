import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { AuthorizationOutcome, HttpResponse } from "../outcome.ts";
import { openApiDocument } from "./openapi.fixture.ts";
import {
  authorizationOutcome,
  cardErrorCodes,
  operationOutcome,
  resultCodes,
  type SentAuthorization,
  type SentOperation,
} from "./responses.ts";

const checkout = openApiDocument("CheckoutService-v72.json");
const now = new Date("2026-01-31T12:00:00Z");
const sent: SentAuthorization = {
  reference: "ch_01jb0000000000000000000001",
  price: { amountMinor: 1000, currency: "usd" },
  network: null,
};

const response = (body: unknown, status = 200, transientError = false): HttpResponse => ({
  status,
  body: typeof body === "string" ? body : JSON.stringify(body),
  headers: transientError ? { "transient-error": "true" } : {},
});
const outcomeOf = (body: unknown, change: Partial<SentAuthorization> = {}) =>
  authorizationOutcome(response(body), { ...sent, ...change }, now);

const approved = {
  additionalData: {
    cvcResult: "1 Matches",
    authCode: "044925",
    avsResult: "7 Both postal code and address match",
    eci: "5",
    liabilityShift: "true",
    networkTxReference: "MCC123456789012",
    fundingSource: "CREDIT",
    issuerCountry: "NL",
    cardSummary: "1111",
    expiryDate: "3/2030",
    paymentMethod: "visa",
    merchantAdviceCode: "01",
  },
  amount: { currency: "USD", value: 1000 },
  merchantReference: sent.reference,
  paymentMethod: { brand: "visa", type: "scheme" },
  pspReference: "993617895204576J",
  resultCode: "Authorised",
};

test("an approval has the amount and every detail that Adyen returns", () => {
  assert.deepEqual(outcomeOf(approved), {
    kind: "approved",
    approvedMinor: 1000,
    details: {
      acquirerReference: "993617895204576J",
      authorizationCode: "044925",
      eci: "05",
      liabilityShifted: true,
      networkTransactionId: "MCC123456789012",
      networkAdviceCode: "01",
      checks: {
        addressLine1Check: "pass",
        addressPostalCodeCheck: "pass",
        cvcCheck: "pass",
      },
      card: {
        brand: "visa",
        funding: "credit",
        country: "NL",
        last4: "1111",
        expiry: { month: 3, year: 2030 },
      },
      accountUpdate: null,
    },
  });
});

test("the result of the Real Time Account Updater is read, with a new expiry date", () => {
  const updateOf = (status: string, expiryDate?: string) => {
    const { additionalData } = approved;
    const data = { ...additionalData, realtimeAccountUpdaterStatus: status, expiryDate };
    const outcome = outcomeOf({ ...approved, additionalData: data });
    return outcome.kind === "approved" && outcome.details.accountUpdate;
  };
  const changed = { kind: "expiry_changed", expMonth: 3, expYear: 2034 };
  assert.deepEqual(updateOf("CardExpiryChanged", "3/2034"), changed);
  assert.deepEqual(updateOf("CardExpiryChanged", "03/2034"), changed);
  // Without a usable date, the customer must enter the card again.
  for (const date of ["", "13/2034", "3/34", "3/1999"]) {
    assert.deepEqual(updateOf("CardExpiryChanged", date), { kind: "card_replaced" }, date);
  }
  assert.deepEqual(updateOf("CardChanged", "3/2034"), { kind: "card_replaced" });
  assert.deepEqual(updateOf("CloseAccount"), { kind: "account_closed" });
  assert.deepEqual(updateOf("ContactCardAccountHolder"), { kind: "contact_cardholder" });
  assert.equal(updateOf("constructor"), null);
});

test("an approval without optional data has null details and the requested amount", () => {
  const outcome = outcomeOf({ resultCode: "Authorised", pspReference: "V4HZ4RBFJGXXGN82" });
  assert.deepEqual(outcome, {
    kind: "approved",
    approvedMinor: 1000,
    details: {
      acquirerReference: "V4HZ4RBFJGXXGN82",
      authorizationCode: null,
      eci: null,
      liabilityShifted: null,
      networkTransactionId: null,
      networkAdviceCode: null,
      checks: { addressLine1Check: null, addressPostalCodeCheck: null, cvcCheck: null },
      card: { brand: null, funding: null, country: null, last4: null, expiry: null },
      accountUpdate: null,
    },
  });
});

test("malformed details are null and never change the outcome", () => {
  const outcome = outcomeOf({
    ...approved,
    paymentMethod: { brand: 7 },
    additionalData: {
      authCode: 44925,
      eci: "N/A",
      liabilityShift: true,
      fundingSource: "constructor",
      issuerCountry: "Netherlands",
      cardSummary: "4111111111111111",
      networkTxReference: "x".repeat(501),
    },
  });
  assert.ok(outcome.kind === "approved");
  const { checks: _, acquirerReference: __, card, ...details } = outcome.details;
  assert.ok([...Object.values(details), ...Object.values(card)].every((value) => value === null));
});

test("each of Adyen's names of a card network maps to a network of Florin", () => {
  const brandOf = (brand: string) => {
    const outcome = outcomeOf({ ...approved, paymentMethod: { brand } });
    return outcome.kind === "approved" ? outcome.details.card.brand : null;
  };
  const names = {
    visa: "visa",
    visadebit: "visa",
    electron: "visa",
    mc: "mastercard",
    mccredit: "mastercard",
    maestro: "mastercard",
    amex: "amex",
    discover: "discover",
    diners: "diners",
    jcb: "jcb",
    cup: "unionpay",
    cartebancaire: null,
    ideal: null,
  };
  for (const [brand, expected] of Object.entries(names)) assert.equal(brandOf(brand), expected);
});

test("every funding source of Adyen maps to a card funding of Florin", () => {
  const fundingOf = (fundingSource: string) => {
    const outcome = outcomeOf({ ...approved, additionalData: { fundingSource } });
    return outcome.kind === "approved" ? outcome.details.card.funding : null;
  };
  assert.equal(fundingOf("CHARGE"), "credit");
  assert.equal(fundingOf("DEBIT"), "debit");
  assert.equal(fundingOf("DEFFERED_DEBIT"), "debit");
  assert.equal(fundingOf("PREPAID"), "prepaid");
  assert.equal(fundingOf("PREPAID_RELOADABLE"), "prepaid");
  assert.equal(fundingOf("PREPAID_NONRELOADABLE"), "prepaid");
});

test("every result code leads to its outcome", () => {
  const action = {
    type: "redirect",
    method: "GET",
    url: "https://checkoutshopper-test.adyen.com/x",
  };
  for (const [resultCode, kind] of Object.entries(resultCodes)) {
    assert.equal(outcomeOf({ ...approved, resultCode, action }).kind, kind, resultCode);
  }
});

test("a result code that is not in the table is unknown", () => {
  for (const resultCode of [
    "authorised",
    "Approved",
    "",
    "constructor",
    null,
    undefined,
    1,
    true,
  ]) {
    assert.equal(outcomeOf({ ...approved, resultCode }).kind, "unknown", String(resultCode));
  }
});

test("a partial approval has the smaller amount, and is unknown if the response has no amount", () => {
  const partial = { ...approved, resultCode: "PartiallyAuthorised" };
  const outcome = outcomeOf({ ...partial, amount: { currency: "USD", value: 400 } });
  assert.equal(outcome.kind === "approved" && outcome.approvedMinor, 400);
  assert.equal(outcomeOf({ ...partial, amount: undefined }).kind, "unknown");
});

test("the authorized amount can also be in the additional data", () => {
  const outcomeWith = (authorisedAmountValue: string, authorisedAmountCurrency: string) =>
    outcomeOf({
      ...approved,
      amount: undefined,
      additionalData: { authorisedAmountValue, authorisedAmountCurrency },
    });
  const outcome = outcomeWith("400", "USD");
  assert.equal(outcome.kind === "approved" && outcome.approvedMinor, 400);
  assert.equal(outcomeWith("4.00", "USD").kind, "unknown");
  assert.equal(outcomeWith("400", "").kind, "unknown");
});

test("the approved amount is converted from Adyen's decimals", () => {
  const price = { amountMinor: 279, currency: "isk" } as const;
  const outcome = outcomeOf({ ...approved, amount: { currency: "ISK", value: 27_900 } }, { price });
  assert.equal(outcome.kind === "approved" && outcome.approvedMinor, 279);
});

test("an approval that does not fit the request is unknown", () => {
  const changes = {
    "another currency": { amount: { currency: "EUR", value: 1000 } },
    "more than requested": { amount: { currency: "USD", value: 1001 } },
    "a negative amount": { amount: { currency: "USD", value: -1 } },
    "a text as the amount": { amount: { currency: "USD", value: "1000" } },
    "no object as the amount": { amount: null },
    "another reference": { merchantReference: "ch_01jb0000000000000000000009" },
    "no pspReference": { pspReference: undefined },
    "an empty pspReference": { pspReference: "" },
  };
  for (const [name, change] of Object.entries(changes)) {
    assert.equal(outcomeOf({ ...approved, ...change }).kind, "unknown", name);
  }
});

const refused = {
  pspReference: "993617895204576J",
  resultCode: "Refused",
  refusalReason: "Not enough balance",
  refusalReasonCode: "12",
  merchantReference: sent.reference,
};

test("a decline has our code, the network's code and the rule for another attempt", () => {
  const outcome = outcomeOf(
    {
      ...refused,
      additionalData: {
        refusalReasonRaw: "51 : Insufficient funds",
        merchantAdviceCode: "25 : Retry after 24 hours",
        cvcResult: "1 Matches",
      },
    },
    { network: "mastercard" },
  );
  assert.ok(outcome.kind === "declined");
  const { details, ...decline } = outcome;
  assert.deepEqual(decline, {
    kind: "declined",
    code: "insufficient_funds",
    networkDeclineCode: "51",
    retry: "later",
    notBefore: new Date("2026-02-01T12:00:00Z"),
  });
  assert.equal(details.acquirerReference, "993617895204576J");
  assert.equal(details.checks.cvcCheck, "pass");
});

test("the network of a decline comes from the response if we do not know it", () => {
  const outcome = outcomeOf({
    ...refused,
    additionalData: { refusalReasonRaw: "41 : Lost card", paymentMethod: "visa" },
  });
  assert.equal(outcome.kind === "declined" && outcome.retry, "never");
});

test("an error before the issuer's decision is a processing error", () => {
  const outcome = outcomeOf({ ...refused, resultCode: "Error", refusalReasonCode: "4" });
  assert.equal(outcome.kind === "declined" && outcome.code, "processing_error");
});

test("a decline without a pspReference is unknown", () => {
  assert.equal(outcomeOf({ ...refused, pspReference: undefined }).kind, "unknown");
});

const action = {
  type: "redirect",
  method: "POST",
  url: "https://checkoutshopper-test.adyen.com/threeDS",
  data: { MD: "abc", PaReq: "def" },
  paymentMethodType: "scheme",
};
const redirecting = { pspReference: "JLCMPCQ8HXSKGK82", resultCode: "RedirectShopper" };

test("a redirect has the page, its form fields and the data for the next request", () => {
  assert.deepEqual(outcomeOf({ ...redirecting, action: { ...action, paymentData: "xyz" } }), {
    kind: "requires_action",
    redirect: { url: action.url, method: "POST", fields: { MD: "abc", PaReq: "def" } },
    resume: "xyz",
    acquirerReference: "JLCMPCQ8HXSKGK82",
  });
  const outcome = outcomeOf({ ...redirecting, action: { ...action, method: "GET" } });
  assert.deepEqual(outcome.kind === "requires_action" && outcome.redirect.fields, {});
});

test("the browser is not sent to an invalid page", () => {
  const changes = [
    { url: "http://checkoutshopper-test.adyen.com/threeDS" },
    { url: "javascript:alert(1)" },
    { url: "not a url" },
    { url: undefined },
    { method: "PUT" },
    { type: "threeDS2" },
    { data: { MD: 1 } },
    { data: "MD=abc" },
  ];
  for (const change of changes) {
    const outcome = outcomeOf({ ...redirecting, action: { ...action, ...change } });
    assert.equal(outcome.kind, "unknown", JSON.stringify(change));
  }
  assert.equal(outcomeOf(redirecting).kind, "unknown");
});

test("a pending payment keeps its pspReference", () => {
  for (const resultCode of ["Pending", "Received"]) {
    assert.deepEqual(outcomeOf({ resultCode, pspReference: "JLCMPCQ8HXSKGK82" }), {
      kind: "pending",
      acquirerReference: "JLCMPCQ8HXSKGK82",
    });
  }
});

const serviceError = (status: number, errorCode: string) => ({
  status,
  errorCode,
  message: "A message",
  errorType: "validation",
});
const sentOperation: SentOperation = {
  merchantAccount: "FlorinTest",
  reference: "op_01jb0000000000000000000002",
  payment: "993617895204576J",
};

/**
 * Returns the outcome of a failed request. Asserts that `authorizationOutcome` and `operationOutcome` return the same
 * outcome.
 */
function failures(status: number, body: unknown, transientError = false) {
  const received = response(body, status, transientError);
  const both = [
    authorizationOutcome(received, sent, now),
    operationOutcome(received, sentOperation),
  ] as const;
  assert.deepEqual(both[0], both[1]);
  return both[0];
}

test("an error in Adyen's own format proves that the request was not processed", () => {
  const rejected = (why: string, acquirerErrorCode: string) => ({
    kind: "rejected",
    why,
    acquirerErrorCode,
  });
  assert.deepEqual(failures(401, serviceError(401, "000")), rejected("credentials", "000"));
  assert.deepEqual(failures(403, serviceError(403, "901")), rejected("credentials", "901"));
  assert.deepEqual(failures(400, serviceError(400, "702")), rejected("invalid_request", "702"));
  assert.deepEqual(
    failures(422, serviceError(422, "14_030")),
    rejected("invalid_request", "14_030"),
  );
  for (const code of cardErrorCodes) {
    assert.deepEqual(failures(422, serviceError(422, code)), rejected("card_data", code));
  }
});

test("a rejected wallet token is not reported as rejected credentials, and a rejected key is", () => {
  for (const [status, code, why] of [
    [401, "000", "credentials"],
    [403, "901", "invalid_request"],
    [422, "5_001", "wallet_token"],
    [422, "5_004", "invalid_request"],
  ] as const) {
    const failed = response(serviceError(status, code), status);
    const outcome = authorizationOutcome(failed, { ...sent, isGatewayToken: true }, now);
    assert.deepEqual(outcome, { kind: "rejected", why, acquirerErrorCode: code });
  }
});

test("the same status with a body in another format leaves the outcome unknown", () => {
  const foreign = [
    "",
    "<html>403 Forbidden</html>",
    "null",
    "[]",
    { message: "Forbidden" },
    { ...serviceError(403, "901"), status: 422 },
    { ...serviceError(403, "901"), status: "403" },
    { ...serviceError(403, "901"), errorCode: undefined },
    { ...serviceError(403, "901"), errorType: undefined },
  ];
  for (const body of foreign) {
    assert.equal(failures(403, body).kind, "unknown", JSON.stringify(body));
  }
});

test("a request in progress or with a transient error is repeated, and stays unknown if no repetition succeeds", () => {
  const cases = [
    [422, serviceError(422, "704"), false],
    [409, serviceError(409, "704"), false],
    [503, serviceError(503, "703"), false],
    [500, serviceError(500, "905"), true],
    [503, "<html>", true],
  ] as const;
  for (const [status, body, transientError] of cases) {
    const outcome = failures(status, body, transientError);
    assert.ok(outcome.kind === "retry_same_request", String(status));
    assert.equal(outcome.otherwise.kind, "unknown");
  }
});

test("a request over Adyen's rate limit is repeated, and is rejected if no repetition succeeds", () => {
  assert.deepEqual(failures(429, serviceError(429, "000")), {
    kind: "retry_same_request",
    otherwise: { kind: "rejected", why: "rate_limited", acquirerErrorCode: "000" },
  });
  assert.equal(failures(429, "Too Many Requests").kind, "unknown");
});

test("every other status is unknown", () => {
  for (const status of [202, 204, 301, 404, 405, 408, 500, 502, 503, 504]) {
    assert.equal(failures(status, serviceError(status, "905")).kind, "unknown", String(status));
  }
  assert.equal(failures(302, approved, true).kind, "unknown");
});

test("an unreadable success is unknown", () => {
  for (const body of ["", "{", "<html>", "null", "[]", '"Authorised"']) {
    assert.equal(outcomeOf(body).kind, "unknown", body);
    assert.equal(operationOutcome(response(body, 201), sentOperation).kind, "unknown", body);
  }
});

const received = {
  merchantAccount: "FlorinTest",
  paymentPspReference: "993617895204576J",
  reference: "op_01jb0000000000000000000002",
  pspReference: "993617894906488A",
  status: "received",
};

test("a received operation is pending until its notification", () => {
  assert.deepEqual(operationOutcome(response(received, 201), sentOperation), {
    kind: "pending",
    acquirerReference: "993617894906488A",
  });
});

test("a received cancellation by our own reference is pending too", () => {
  const { paymentPspReference: _, ...body } = received;
  const outcome = operationOutcome(
    response({ ...body, paymentReference: sent.reference, reference: sent.reference }, 201),
    { ...sentOperation, reference: sent.reference, payment: sent.reference },
  );
  assert.equal(outcome.kind, "pending");
});

test("a confirmation that does not fit the operation is unknown", () => {
  const changes = [
    { status: "Received" },
    { status: undefined },
    { pspReference: undefined },
    { merchantAccount: "Other" },
    { paymentPspReference: "000000000000000A" },
    { paymentPspReference: undefined },
    { reference: "op_01jb0000000000000000000009" },
  ];
  for (const change of changes) {
    const outcome = operationOutcome(response({ ...received, ...change }, 201), sentOperation);
    assert.equal(outcome.kind, "unknown", JSON.stringify(change));
  }
  assert.equal(operationOutcome(response(received, 200), sentOperation).kind, "unknown");
});

test("no response makes the functions throw, and only a complete approval is approved", () => {
  const json = fc.jsonValue();
  const body = fc.oneof(
    fc.string(),
    json,
    fc.record({
      resultCode: fc.oneof(fc.constantFrom(...Object.keys(resultCodes)), json),
      pspReference: json,
      amount: fc.oneof(json, fc.record({ currency: json, value: json })),
      additionalData: json,
      action: json,
    }),
  );
  fc.assert(
    fc.property(
      body,
      fc.integer({ min: 100, max: 599 }),
      fc.boolean(),
      (value, status, transient) => {
        const anyResponse = response(value, status, transient);
        operationOutcome(anyResponse, sentOperation);
        const outcome = authorizationOutcome(anyResponse, sent, now);
        if (outcome.kind !== "approved") return;
        assert.equal(status, 200);
        assert.ok(outcome.approvedMinor <= sent.price.amountMinor);
        assert.ok(outcome.details.acquirerReference !== "");
      },
    ),
  );
});

test("the samples of these tests and the examples of Adyen's OpenAPI document are valid and understood", (t) => {
  if (typeof checkout === "string") return t.skip(checkout);
  checkout.assertValid("PaymentResponse", approved);
  checkout.assertValid("PaymentResponse", refused);
  checkout.assertValid("PaymentResponse", { ...redirecting, action });
  const { reference: _, ...confirmation } = received;
  checkout.assertValid("PaymentCancelResponse", confirmation);
  checkout.assertValid("ServiceError", serviceError(422, "101"));

  const example = (name: string, status: number) => response(checkout.example(name), status);
  const kindOf = (name: string): AuthorizationOutcome["kind"] | "retry_same_request" => {
    const received = example(name, 200);
    const { merchantReference = sent.reference } = JSON.parse(received.body);
    return authorizationOutcome(received, { ...sent, reference: merchantReference }, now).kind;
  };
  assert.equal(kindOf("post-payments-card-direct-200"), "approved");
  assert.equal(kindOf("post-payments-card-3d-secure-redirect-200"), "requires_action");
  assert.equal(kindOf("post-payments-details-00.redirect-200"), "approved");
  const operation = operationOutcome(
    example("post-payments-paymentPspReference-captures-capture-201", 201),
    {
      merchantAccount: "YOUR_MERCHANT_ACCOUNT",
      reference: "YOUR_UNIQUE_REFERENCE",
      payment: "993617894903480A",
    },
  );
  assert.equal(operation.kind, "pending");
  for (const status of [400, 401, 403, 422]) {
    const outcome = authorizationOutcome(example(`generic-${status}`, status), sent, now);
    assert.equal(outcome.kind, "rejected", String(status));
  }
  const serverError = authorizationOutcome(example("generic-500", 500), sent, now);
  assert.equal(serverError.kind, "unknown");
});
