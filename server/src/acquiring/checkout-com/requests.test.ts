import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChargeId, OperationId } from "../../core/ids.ts";
import { CardNumber, SecurityCode, TokenCryptogram } from "../../vault/card-number.ts";
import { serializeWithCard } from "../fill-card.ts";
import type { Rejected } from "../outcome.ts";
import { type AuthenticationData, type Payer, unknownPayer } from "../processor.ts";
import { requestValidator } from "./openapi.fixture.ts";
import {
  actionsRequest,
  apiOrigin,
  type CheckoutComConnection,
  type CheckoutComRequest,
  captureRequest,
  descriptorOf,
  type PaymentRequest,
  paymentRequest,
  refundRequest,
  retrieveRequest,
  reversalReference,
  reversalRequest,
  reversedCharge,
  safeId,
  searchRequest,
  voidRequest,
} from "./requests.ts";

const validator = requestValidator();
const skip = typeof validator === "string" ? validator : false;

const connection: CheckoutComConnection = {
  id: "con_1",
  channel: "pc_fieldwarefieldwarefieldware",
  idempotencySecret: Buffer.alloc(32, 7),
};
const charge: ChargeId = "ch_01jb0000000000000000000001";
const operation: OperationId = "op_01jb0000000000000000000002";
const payment = "pay_mbabizu24mvu3mela5njyhpit4";

const sale: PaymentRequest = {
  reference: charge,
  price: { amountMinor: 1999, currency: "eur" },
  capture: true,
  hasSecurityCode: true,
  networkToken: null,
  use: { kind: "once" },
  authentication: null,
  redirect: null,
  payer: unknownPayer,
  descriptor: null,
  network: null,
};

const fullPayer: Payer = {
  name: "Ada Lovelace",
  email: "ada@example.com",
  phone: "+44 20 7123 4567",
  ip: "203.0.113.7",
  address: {
    line1: "12 St James's Square",
    city: "London",
    state: null,
    postalCode: "SW1Y 4LB",
    country: "GB",
  },
  browser: null,
};

const authenticated: AuthenticationData = {
  version: "2.2.0",
  transStatus: "Y",
  eci: "05",
  authenticationValue: "AAABBBCCCDDDEEEFFF0000000000",
  dsTransactionId: "f25084f0-5b16-4c0a-ae5d-b24808a95e4b",
};

const redirect = { returnUrl: "https://pay.example.com/return", required: true };

const card = {
  number: new CardNumber("4111111111111111"),
  expMonth: 3,
  expYear: 2030,
  securityCode: new SecurityCode("737"),
  postalCode: null,
  addressLine1: null,
  networkToken: {
    cryptogram: new TokenCryptogram("AgAAAAAAAIR8CQrXcIhbQAAAAAA="),
    eci: "05",
    source: "google_pay",
  },
} as const;

function prepared(request: CheckoutComRequest | Rejected): CheckoutComRequest {
  assert.ok("method" in request, "The request was rejected.");
  return request;
}

/** Returns the body as it is sent, with a test card. */
function sent({ body }: CheckoutComRequest) {
  return body === null ? null : JSON.parse(serializeWithCard(body, card));
}

const pay = (change: Partial<PaymentRequest> = {}) =>
  sent(prepared(paymentRequest(connection, { ...sale, ...change })));

test("a sale without optional data has only the basic fields", () => {
  assert.deepEqual(pay(), {
    source: {
      type: "card",
      number: "4111111111111111",
      expiry_month: 3,
      expiry_year: 2030,
      cvv: "737",
    },
    amount: 1999,
    currency: "EUR",
    capture: true,
    reference: charge,
    processing_channel_id: connection.channel,
    "3ds": { enabled: false, allow_upgrade: false },
    metadata: { florin_channel: connection.channel },
  });
});

test("a network token is sent with its cryptogram, its ECI and its wallet", () => {
  const token = (source: "google_pay" | "apple_pay", eci: string | null = "05") =>
    pay({ networkToken: { eci, source }, hasSecurityCode: false });
  const { source, ...rest } = token("google_pay");
  assert.deepEqual(source, {
    type: "network_token",
    token: "4111111111111111",
    token_type: "googlepay",
    cryptogram: "AgAAAAAAAIR8CQrXcIhbQAAAAAA=",
    eci: "05",
    expiry_month: 3,
    expiry_year: 2030,
  });
  assert.deepEqual(rest["3ds"], { enabled: false, allow_upgrade: false });
  assert.equal(token("apple_pay").source.token_type, "applepay");
  assert.equal("eci" in token("apple_pay", null).source, false);
});

test("the payer, the network transaction and the descriptor are sent in Checkout.com's fields", () => {
  const body = pay({
    payer: fullPayer,
    use: { kind: "saved", initiatedBy: "merchant", networkTransactionId: "482318443902202" },
    descriptor: { name: "FIELDWARE", city: "LONDON" },
    hasSecurityCode: false,
  });
  assert.deepEqual(body.source.phone, { country_code: "+44", number: "2071234567" });
  assert.deepEqual(body.source.billing_address, {
    address_line1: "12 St James's Square",
    city: "London",
    zip: "SW1Y 4LB",
    country: "GB",
  });
  assert.deepEqual([body.source.name, body.source.stored], ["Ada Lovelace", true]);
  assert.deepEqual(body.customer, { email: "ada@example.com", name: "Ada Lovelace" });
  assert.equal(body.payment_ip, "203.0.113.7");
  assert.equal(body.previous_payment_id, "482318443902202");
  assert.deepEqual([body.payment_type, body.merchant_initiated], ["Unscheduled", true]);
  assert.deepEqual(body.billing_descriptor, { name: "FIELDWARE", city: "LONDON" });
  assert.ok(!("cvv" in body.source));
});

test("the network that the cardholder chose is sent for networks of co-badged cards only", () => {
  assert.deepEqual(pay({ network: "cartes_bancaires" }).processing, {
    preferred_scheme: "cartes_bancaires",
  });
  assert.ok(!("processing" in pay({ network: "amex" })));
});

test("a phone number without a country code is not sent", () => {
  for (const [phone, countryCode] of [
    ["+12125550123", "+1"],
    ["+35312345678", "+353"],
    ["+33123456789", "+33"],
    ["+4915112345678", "+49"],
    ["020 7123 4567", null],
    ["+44123", null],
  ] as const) {
    const { source } = pay({ payer: { ...unknownPayer, phone } });
    assert.equal(source.phone?.country_code ?? null, countryCode, phone);
  }
});

test("3-D Secure is requested, left to the issuer, or proved by another provider", () => {
  assert.deepEqual(pay({ redirect })["3ds"], { enabled: true });
  assert.deepEqual(pay({ redirect: { ...redirect, required: false } })["3ds"], {
    enabled: false,
    allow_upgrade: true,
  });
  assert.deepEqual(pay({ authentication: authenticated })["3ds"], {
    enabled: true,
    eci: "05",
    cryptogram: authenticated.authenticationValue,
    xid: authenticated.dsTransactionId,
    version: "2.2.0",
  });
  const { success_url, failure_url } = pay({ redirect });
  assert.deepEqual([success_url, failure_url], [redirect.returnUrl, redirect.returnUrl]);
});

test("a verification of a card has the amount zero and is not captured", () => {
  const body = pay({ capture: null, price: { amountMinor: 0, currency: "eur" } });
  assert.equal(body.amount, 0);
  assert.ok(!("capture" in body));
});

test("an amount that Checkout.com cannot represent is rejected before it is sent", () => {
  const price = { amountMinor: 1_234, currency: "kwd" } as const;
  for (const request of [
    paymentRequest(connection, { ...sale, price }),
    captureRequest(connection, { reference: operation, payment, price }),
    refundRequest(connection, { reference: operation, payment, price }),
  ]) {
    assert.deepEqual(request, {
      kind: "rejected",
      why: "amount_not_representable",
      acquirerErrorCode: null,
    });
  }
});

test("the descriptor has a name and the city after the assignment's last comma, or is not sent", () => {
  for (const [own, assigned, expected] of [
    [null, "FIELDWARE, LONDON", { name: "FIELDWARE", city: "LONDON" }],
    ["BOOKS", "FIELDWARE, LONDON", { name: "BOOKS", city: "LONDON" }],
    ["Café & Bar", "FIELDWARE,SÃO PAULO", { name: "Cafe  Bar", city: "SAO PAULO" }],
    ["BOOKS", "FIELDWARE", null],
    ["BOOKS", null, null],
    [null, ", LONDON", null],
  ] as const) {
    assert.deepEqual(descriptorOf(own, assigned), expected);
  }
});

test("each kind of request has its own idempotency key, which a repetition has again", () => {
  const target = { reference: operation, payment, price: sale.price };
  const requests = () => [
    prepared(paymentRequest(connection, sale)),
    prepared(paymentRequest(connection, { ...sale, capture: null })),
    prepared(captureRequest(connection, target)),
    voidRequest(connection, target),
    prepared(refundRequest(connection, target)),
    ...(["voids", "refunds"] as const).flatMap((kind) =>
      ["0.1", "0.2"].map((attempt) =>
        reversalRequest(connection, kind, { charge, payment, attempt }),
      ),
    ),
  ];
  const keys = requests().map(({ idempotencyKey }) => idempotencyKey);
  assert.equal(new Set(keys).size, keys.length);
  assert.deepEqual(
    requests().map(({ idempotencyKey }) => idempotencyKey),
    keys,
  );
});

test("the reference of a reversal names its charge, and differs from the charge's own reference", () => {
  const reference = reversalReference(charge);
  assert.equal(reversedCharge(reference), charge);
  assert.equal(reversedCharge(charge), null);
  // American Express allows 30 characters.
  assert.ok(reference.length <= 30 && charge.length <= 30 && operation.length <= 30);
});

test("IDs that are not safe in a path, and prefixes that are not one label, are refused", () => {
  for (const id of ["pay_1/../disputes", "dsp_1", "pay_", "pay_a?b"]) {
    assert.throws(() => safeId("pay", id), id);
  }
  assert.equal(apiOrigin("live", "vkuhvk4v"), "https://vkuhvk4v.api.checkout.com");
  assert.equal(apiOrigin("sandbox", "vkuhvk4v"), "https://vkuhvk4v.api.sandbox.checkout.com");
  for (const prefix of ["", "a.b", "evil.com/", "A"]) {
    assert.throws(() => apiOrigin("live", prefix), prefix);
  }
});

test("every request is valid in Checkout.com's OpenAPI document", { skip }, () => {
  const target = { reference: operation, payment, price: sale.price };
  const payments: Partial<PaymentRequest>[] = [
    {},
    { capture: false },
    { capture: null, price: { amountMinor: 0, currency: "eur" } },
    { payer: fullPayer, descriptor: { name: "FIELDWARE", city: "LONDON" } },
    { network: "cartes_bancaires" },
    { authentication: authenticated },
    { networkToken: { eci: "05", source: "apple_pay" }, hasSecurityCode: false },
    { redirect },
    { redirect: { ...redirect, required: false } },
    { use: { kind: "to_be_saved" } },
    { use: { kind: "saved", initiatedBy: "customer", networkTransactionId: null } },
    { use: { kind: "saved", initiatedBy: "merchant", networkTransactionId: "482318443902202" } },
  ];
  const requests = [
    ...payments.map((change) => prepared(paymentRequest(connection, { ...sale, ...change }))),
    retrieveRequest(payment),
    actionsRequest(payment),
    searchRequest(charge),
    prepared(captureRequest(connection, target)),
    voidRequest(connection, target),
    prepared(refundRequest(connection, target)),
    reversalRequest(connection, "voids", { charge, payment, attempt: "0.1" }),
    reversalRequest(connection, "refunds", { charge, payment, attempt: "0.1" }),
  ];
  for (const request of requests) {
    assert.ok(typeof validator !== "string");
    validator({ ...request, body: sent(request) });
  }
});
