import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ChargeId, OperationId } from "../../core/ids.ts";
import { type CardField, CardPlaceholder, type PreparedJson } from "../card-placeholder.ts";
import { idempotencyKey } from "../idempotency-key.ts";
import type { AuthenticationData, Payer, PayerAddress } from "../processor.ts";
import { openApiDocument } from "./openapi.fixture.ts";
import {
  type AdyenConnection,
  type AdyenRequest,
  type AuthenticationChoice,
  type AuthorizationRequest,
  authorizeRequest,
  baseUrl,
  cancelRequest,
  captureRequest,
  detailsRequest,
  gatewayTokenRequest,
  type PreparedRequest,
  refundRequest,
  reverseRequest,
  technicalCancelRequest,
  verifyRequest,
} from "./requests.ts";

const checkout = openApiDocument("CheckoutService-v72.json");

const connection: AdyenConnection = {
  id: "conn_1",
  merchantAccount: "FlorinTest",
  idempotencySecret: Buffer.alloc(32, 7),
};
const charge: ChargeId = "ch_01jb0000000000000000000001";
const operation: OperationId = "op_01jb0000000000000000000002";

const unknownPayer: Payer = {
  name: null,
  email: null,
  phone: null,
  ip: null,
  address: null,
  browser: null,
};
const sale: AuthorizationRequest = {
  reference: charge,
  price: { amountMinor: 1999, currency: "eur" },
  capture: true,
  hasSecurityCode: true,
  use: { kind: "once" },
  authentication: { kind: "none", exemption: null },
  payer: unknownPayer,
  returnUrl: "https://pay.example.com/return",
  descriptor: null,
  mcc: null,
};

const fullPayer: Payer = {
  name: "Ada Lovelace",
  email: "ada@example.com",
  phone: "+442071234567",
  ip: "2001:db8::1",
  address: {
    line1: "12 St James's Square",
    city: "London",
    state: null,
    postalCode: "SW1Y 4LB",
    country: "GB",
  },
  browser: {
    acceptHeader: "*/*",
    colorDepth: 24,
    javaEnabled: false,
    language: "en-GB",
    screenHeight: 1080,
    screenWidth: 1920,
    timeZoneOffset: -60,
    userAgent: "Mozilla/5.0",
  },
};

const authenticated: AuthenticationData = {
  version: "2.2.0",
  transStatus: "Y",
  eci: "05",
  authenticationValue: "AAABBBCCCDDDEEEFFF0000000000",
  dsTransactionId: "f25084f0-5b16-4c0a-ae5d-b24808a95e4b",
};

function prepared(result: PreparedRequest): AdyenRequest {
  assert.equal(result.kind, "prepared");
  return (result as Extract<PreparedRequest, { kind: "prepared" }>).request;
}

const authorize = (change: Partial<AuthorizationRequest> = {}) =>
  prepared(authorizeRequest(connection, { ...sale, ...change }));

const testCard: Partial<Record<CardField, string | number>> = {
  number: "4111111111111111",
  expiryMonth: "03",
  expiryYear: "2030",
  expiryMonthNumber: 3,
  expiryYearNumber: 2030,
  securityCode: "737",
  cryptogram: "AgAAAAAAAIR8CQrXcIhbQAAAAAA=",
  gatewayToken: "token of a wallet",
};

/** Replaces the placeholders with a test card, as the function that sends the request does. */
function filled(value: PreparedJson): unknown {
  if (value instanceof CardPlaceholder) {
    assert.ok(value.field in testCard, value.field);
    return testCard[value.field];
  }
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, filled(one as PreparedJson)]),
  );
}

test("a sale without optional data has only the basic fields, and is captured without delay", () => {
  const { path, body } = authorize();
  assert.equal(path, "/payments");
  assert.deepEqual(filled(body), {
    merchantAccount: "FlorinTest",
    reference: charge,
    amount: { currency: "EUR", value: 1999 },
    paymentMethod: {
      type: "scheme",
      number: "4111111111111111",
      expiryMonth: "03",
      expiryYear: "2030",
      cvc: "737",
    },
    channel: "Web",
    returnUrl: "https://pay.example.com/return",
    captureDelayHours: 0,
    shopperInteraction: "Ecommerce",
    authenticationData: { attemptAuthentication: "never" },
  });
});

test("a hold is captured only by request", () => {
  const { body } = authorize({ capture: false });
  assert.deepEqual(body.additionalData, { manualCapture: "true" });
  assert.ok(!("captureDelayHours" in body));
});

test("a body cannot be serialized before its placeholders are replaced", () => {
  assert.throws(() => JSON.stringify(authorize().body), /placeholder 'number' must be replaced/);
});

test("a network token is sent with its cryptogram and ECI, and is not authenticated again", () => {
  const { body } = authorize({
    authentication: { kind: "device", eci: "05" },
    hasSecurityCode: false,
  });
  const { paymentMethod, mpiData, authenticationData } = filled(body) as Record<string, unknown>;
  assert.deepEqual(paymentMethod, {
    type: "networkToken",
    number: testCard.number,
    expiryMonth: testCard.expiryMonth,
    expiryYear: testCard.expiryYear,
  });
  assert.deepEqual(mpiData, {
    directoryResponse: "Y",
    authenticationResponse: "Y",
    tokenAuthenticationVerificationValue: testCard.cryptogram,
    eci: "05",
  });
  assert.equal(authenticationData, undefined);
});

test("a request without a security code has no placeholder for it", () => {
  const { paymentMethod } = authorize({ hasSecurityCode: false }).body;
  assert.ok(!("cvc" in (paymentMethod as object)));
});

test("the use of a saved card sets the fields for stored credentials", () => {
  const fields = (use: AuthorizationRequest["use"]) => {
    const { shopperInteraction, recurringProcessingModel, paymentMethod } = authorize({ use }).body;
    const { networkPaymentReference } = paymentMethod as Record<string, unknown>;
    return [shopperInteraction, recurringProcessingModel, networkPaymentReference];
  };
  assert.deepEqual(fields({ kind: "once" }), ["Ecommerce", undefined, undefined]);
  assert.deepEqual(fields({ kind: "to_be_saved" }), ["Ecommerce", "CardOnFile", undefined]);
  const saved = { kind: "saved", networkTransactionId: "MCC123456789012" } as const;
  assert.deepEqual(fields({ ...saved, initiatedBy: "customer" }), [
    "ContAuth",
    "CardOnFile",
    "MCC123456789012",
  ]);
  assert.deepEqual(fields({ ...saved, initiatedBy: "merchant" }), [
    "ContAuth",
    "UnscheduledCardOnFile",
    "MCC123456789012",
  ]);
  assert.deepEqual(fields({ ...saved, initiatedBy: "merchant", networkTransactionId: null }), [
    "ContAuth",
    "UnscheduledCardOnFile",
    undefined,
  ]);
});

const external = (
  change: Partial<AuthenticationData>,
  challenged: boolean,
): Extract<AuthenticationChoice, { kind: "external" }> => ({
  kind: "external",
  data: { ...authenticated, ...change },
  challenged,
  statusReason: null,
  exemption: null,
});

test("a frictionless authentication has the status of the ARes and no challenge status", () => {
  assert.deepEqual(
    authorize({ authentication: external({ transStatus: "A" }, false) }).body.mpiData,
    {
      threeDSVersion: "2.2.0",
      dsTransID: "f25084f0-5b16-4c0a-ae5d-b24808a95e4b",
      directoryResponse: "A",
      eci: "05",
      cavv: "AAABBBCCCDDDEEEFFF0000000000",
    },
  );
});

test("an authentication with a challenge has the ARes status C and the status of the challenge", () => {
  const { mpiData } = authorize({
    authentication: { ...external({}, true), statusReason: "17" },
  }).body;
  assert.deepEqual(mpiData, {
    threeDSVersion: "2.2.0",
    dsTransID: "f25084f0-5b16-4c0a-ae5d-b24808a95e4b",
    directoryResponse: "C",
    authenticationResponse: "Y",
    eci: "05",
    cavv: "AAABBBCCCDDDEEEFFF0000000000",
    transStatusReason: "17",
  });
});

test("an informational authentication has no cryptogram and claims its exemption", () => {
  const { mpiData, additionalData } = authorize({
    authentication: {
      ...external({ transStatus: "I", authenticationValue: null }, false),
      exemption: "transactionRiskAnalysis",
    },
  }).body;
  assert.ok(!("cavv" in (mpiData as object)));
  assert.deepEqual(additionalData, { scaExemption: "transactionRiskAnalysis" });
  assert.throws(() => authorize({ authentication: external({ transStatus: "I" }, true) }));
});

test("Adyen's own authentication uses a redirect instead of the native flow", () => {
  const data = (required: boolean) =>
    authorize({ authentication: { kind: "acquirer", required } }).body.authenticationData;
  assert.deepEqual(data(false), { threeDSRequestData: { nativeThreeDS: "disabled" } });
  assert.deepEqual(data(true), {
    attemptAuthentication: "always",
    threeDSRequestData: { nativeThreeDS: "disabled" },
  });
});

test("the payer's data is sent under Adyen's field names", () => {
  const { body } = authorize({ payer: fullPayer });
  assert.equal((body.paymentMethod as Record<string, unknown>).holderName, "Ada Lovelace");
  assert.equal(body.shopperEmail, "ada@example.com");
  assert.equal(body.telephoneNumber, "+442071234567");
  assert.equal(body.shopperIP, "2001:db8::1");
  assert.deepEqual(body.billingAddress, {
    street: "St James's Square",
    houseNumberOrName: "12",
    city: "London",
    postalCode: "SW1Y 4LB",
    country: "GB",
  });
  assert.deepEqual(body.browserInfo, fullPayer.browser);
});

const noAddress: PayerAddress = {
  line1: null,
  city: null,
  state: null,
  postalCode: null,
  country: null,
};
const addressOf = (change: Partial<PayerAddress>) =>
  authorize({ payer: { ...unknownPayer, address: { ...noAddress, ...change } } }).body
    .billingAddress as Record<string, string>;

test("the house number is separated from the street", () => {
  const parts = (line1: string) => {
    const { street, houseNumberOrName } = addressOf({ line1 });
    return [street, houseNumberOrName];
  };
  assert.deepEqual(parts("12a High Street"), ["High Street", "12a"]);
  assert.deepEqual(parts("1-3, Rue de Rivoli"), ["Rue de Rivoli", "1-3"]);
  assert.deepEqual(parts("Hauptstraße 12"), ["Hauptstraße", "12"]);
  assert.deepEqual(parts("Kalverstraat 92 B"), ["Kalverstraat", "92 B"]);
  assert.deepEqual(parts("The Old Rectory"), ["The Old Rectory", "N/A"]);
  assert.deepEqual(parts("4521"), ["4521", "N/A"]);
});

test("unknown parts of an address have Adyen's placeholder values", () => {
  assert.deepEqual(addressOf({}), {
    street: "N/A",
    houseNumberOrName: "N/A",
    city: "N/A",
    postalCode: "N/A",
    country: "ZZ",
  });
});

test("a US address has a ZIP code of five digits and a state", () => {
  const address = addressOf({ country: "US", postalCode: "94103-1234", state: "ca" });
  assert.equal(address.postalCode, "94103");
  assert.equal(address.stateOrProvince, "CA");
  assert.ok(!("stateOrProvince" in addressOf({ state: "California" })));
});

test("the descriptor has at most 22 of Adyen's allowed characters", () => {
  const statement = (descriptor: string | null) => authorize({ descriptor }).body.shopperStatement;
  assert.equal(statement("FLORIN* Café <No. 1>"), "FLORIN* Cafe No. 1");
  assert.equal(statement("A very long name of a shop"), "A very long name of a");
  assert.equal(statement("東京"), undefined);
  assert.equal(statement(null), undefined);
  assert.equal(authorize({ mcc: "5411" }).body.mcc, "5411");
});

test("an amount that Adyen cannot represent is rejected before anything is sent", () => {
  const price = { amountMinor: 150_001, currency: "idr" } as const;
  const rejected = {
    kind: "rejected",
    why: "amount_not_representable",
    acquirerErrorCode: null,
  };
  const target = { reference: operation, paymentReference: "993617895204576J", price };
  assert.deepEqual(authorizeRequest(connection, { ...sale, price }), rejected);
  assert.deepEqual(captureRequest(connection, target), rejected);
  assert.deepEqual(refundRequest(connection, target), rejected);
});

test("a verification has the amount zero and no capture", () => {
  const { currency } = sale.price;
  const { path, body } = prepared(
    verifyRequest(connection, { ...sale, use: { kind: "to_be_saved" }, currency }),
  );
  assert.equal(path, "/payments");
  assert.deepEqual(body.amount, { currency: "EUR", value: 0 });
  assert.ok(!("captureDelayHours" in body) && !("additionalData" in body));
});

const target = { reference: operation, paymentReference: "993617895204576J" };
const price = { amountMinor: 500, currency: "eur" } as const;

test("each operation has its path, our operation id and, if it needs one, its amount", () => {
  const common = { merchantAccount: "FlorinTest", reference: operation };
  const amount = { currency: "EUR", value: 500 };
  const cases = [
    [captureRequest(connection, { ...target, price }), "captures", { ...common, amount }],
    [refundRequest(connection, { ...target, price }), "refunds", { ...common, amount }],
    [cancelRequest(connection, target), "cancels", common],
    [
      reverseRequest(connection, { ...target, reference: charge, series: "0" }),
      "reversals",
      { ...common, reference: charge },
    ],
  ] as const;
  for (const [result, kind, expected] of cases) {
    const { path, body } = prepared(result);
    assert.equal(path, `/payments/993617895204576J/${kind}`);
    assert.deepEqual(body, expected);
  }
});

test("a repeated reversal has the same key, and a reversal after a restart of the inquiries has another one", () => {
  const keyOf = (series: string) =>
    prepared(reverseRequest(connection, { ...target, reference: charge, series })).idempotencyKey;
  assert.equal(keyOf("0"), keyOf("0"));
  assert.equal(new Set(["0", "1", "late"].map(keyOf)).size, 3);
});

test("several partial captures of a payment have different references and keys", () => {
  const second: OperationId = "op_01jb0000000000000000000003";
  const one = prepared(captureRequest(connection, { ...target, price }));
  const other = prepared(captureRequest(connection, { ...target, reference: second, price }));
  assert.notEqual(one.body.reference, other.body.reference);
  assert.notEqual(one.idempotencyKey, other.idempotencyKey);
});

test("a cancellation without a pspReference has our reference, and each attempt has its own key", () => {
  const first = prepared(technicalCancelRequest(connection, { charge, attempt: "0.1" }));
  const second = prepared(technicalCancelRequest(connection, { charge, attempt: "1.1" }));
  assert.equal(first.path, "/cancels");
  assert.deepEqual(first.body, {
    merchantAccount: "FlorinTest",
    paymentReference: charge,
    reference: charge,
  });
  assert.notEqual(first.idempotencyKey, second.idempotencyKey);
});

test("the request after the redirect has the result, and the payment data only if there is any", () => {
  const details = (resume: string | null) =>
    prepared(detailsRequest(connection, { attempt: charge, redirectResult: "X6XtfGC3!Y", resume }));
  assert.equal(details(null).path, "/payments/details");
  assert.deepEqual(details(null).body, { details: { redirectResult: "X6XtfGC3!Y" } });
  assert.deepEqual(details("abc").body, {
    details: { redirectResult: "X6XtfGC3!Y" },
    paymentData: "abc",
  });
});

test("a payment reference cannot change the path", () => {
  for (const paymentReference of ["", "a/b", "../refunds", "a?b", "a-b"]) {
    assert.throws(
      () => cancelRequest(connection, { ...target, paymentReference }),
      paymentReference,
    );
  }
});

test("a reference with a hyphen is never sent, because Adyen would split it", () => {
  for (const reference of [
    "ch_0190a3b4-c5d6-7890-abcd-ef0123456789",
    "ch_short",
    "re_01jb0000000000000000000001",
  ]) {
    assert.throws(() => authorize({ reference: reference as ChargeId }), reference);
  }
});

test("an idempotency key is reproducible, at most 64 characters long and different for other inputs", () => {
  const text = fc.string({ maxLength: 30 });
  const input = fc.tuple(text, text, text);
  const key = ([id, kind, reference]: [string, string, string]) =>
    idempotencyKey({ ...connection, id }, kind, reference);
  fc.assert(
    fc.property(input, input, (one, other) => {
      assert.ok(key(one).length <= 64 && /^[\w-]+$/.test(key(one)));
      assert.equal(key(one) === key(other), JSON.stringify(one) === JSON.stringify(other));
    }),
  );
  assert.notEqual(key(["a", "bc", "d"]), key(["ab", "c", "d"]));
  assert.notEqual(key(["a", "b", "cd"]), key(["a", "bc", "d"]));
  const otherSecret = { ...connection, idempotencySecret: Buffer.alloc(32, 8) };
  assert.notEqual(
    idempotencyKey(connection, "authorize", charge),
    idempotencyKey(otherSecret, "authorize", charge),
  );
});

test("the base URL is Adyen's test host, or the live host with the company's prefix", () => {
  assert.equal(baseUrl({ live: false }), "https://checkout-test.adyen.com/v72");
  assert.equal(
    baseUrl({ live: true, prefix: "1797a841fbb37ca7-Florin" }),
    "https://1797a841fbb37ca7-Florin-checkout-live.adyenpayments.com/checkout/v72",
  );
  for (const prefix of ["", "evil.example/", "a.b", "-a", "a-"]) {
    assert.throws(() => baseUrl({ live: true, prefix }), prefix);
  }
});

test("every request is valid against Adyen's OpenAPI document", (t) => {
  if (typeof checkout === "string") return t.skip(checkout);
  const uses: AuthorizationRequest["use"][] = [
    { kind: "once" },
    { kind: "to_be_saved" },
    { kind: "saved", initiatedBy: "customer", networkTransactionId: null },
    { kind: "saved", initiatedBy: "merchant", networkTransactionId: "MCC123456789012" },
  ];
  const authentications: AuthenticationChoice[] = [
    { kind: "none", exemption: null },
    { kind: "none", exemption: "lowValue" },
    { kind: "acquirer", required: true },
    { kind: "acquirer", required: false },
    external({}, true),
    external({ transStatus: "A", eci: null }, false),
    { ...external({ transStatus: "I", authenticationValue: null }, false), statusReason: "04" },
    { kind: "device", eci: "05" },
    { kind: "device", eci: null },
  ];
  for (const use of uses) {
    for (const authentication of authentications) {
      for (const payer of [unknownPayer, fullPayer]) {
        for (const capture of [true, false]) {
          const request = {
            ...sale,
            use,
            authentication,
            payer,
            capture,
            hasSecurityCode: capture,
            descriptor: "FLORIN* Shop",
            mcc: "5411",
          };
          checkout.assertValid("PaymentRequest", filled(authorize(request).body));
          const { currency } = sale.price;
          const verification = prepared(verifyRequest(connection, { ...request, currency }));
          checkout.assertValid("PaymentRequest", filled(verification.body));
        }
      }
    }
  }
  const valid = (schema: string, result: PreparedRequest) =>
    checkout.assertValid(schema, prepared(result).body);
  valid("PaymentCaptureRequest", captureRequest(connection, { ...target, price }));
  valid("PaymentRefundRequest", refundRequest(connection, { ...target, price }));
  valid("PaymentCancelRequest", cancelRequest(connection, target));
  valid(
    "PaymentReversalRequest",
    reverseRequest(connection, { ...target, reference: charge, series: "0" }),
  );
  valid(
    "StandalonePaymentCancelRequest",
    technicalCancelRequest(connection, { charge, attempt: "0.1" }),
  );
  valid(
    "PaymentDetailsRequest",
    detailsRequest(connection, { attempt: charge, redirectResult: "X6XtfGC3!Y", resume: "abc" }),
  );
});

test("the validation against Adyen's OpenAPI document rejects an invalid request", (t) => {
  if (typeof checkout === "string") return t.skip(checkout);
  const body = filled(authorize().body) as Record<string, unknown>;
  assert.throws(() => checkout.assertValid("PaymentRequest", { ...body, captureDelay: 0 }));
  assert.throws(() => checkout.assertValid("PaymentRequest", { ...body, captureDelayHours: "0" }));
  const { returnUrl: _, ...withoutReturnUrl } = body;
  assert.throws(() => checkout.assertValid("PaymentRequest", withoutReturnUrl));
});

test("the request with a wallet's token contains the token and no card, and forbids a redirect", (t) => {
  for (const [wallet, type, field, schema] of [
    ["google_pay", "googlepay", "googlePayToken", "GooglePayDetails"],
    ["apple_pay", "applepay", "applePayToken", "ApplePayDetails"],
  ] as const) {
    const { path, body } = prepared(gatewayTokenRequest(connection, { ...sale, wallet }));
    assert.equal(path, "/payments");
    const sent = filled(body) as { paymentMethod: object; authenticationData: object };
    assert.deepEqual(sent.paymentMethod, { type, [field]: "token of a wallet" });
    assert.deepEqual(sent.authenticationData, { attemptAuthentication: "never" });
    if (typeof checkout === "string") return t.skip(checkout);
    checkout.assertValid("PaymentRequest", sent);
    checkout.assertValid(schema, sent.paymentMethod);
  }
});
