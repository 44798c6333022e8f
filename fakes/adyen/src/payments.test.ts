import assert from "node:assert/strict";
import { test } from "node:test";
import { officialDocument } from "./official-document.fixture.ts";
import { account, hold, modification, runFake, sale } from "./running-fake.fixture.ts";

const checkout = officialDocument("CheckoutService-v72.json");

function assertValid(schema: string, value: unknown): void {
  if (typeof checkout !== "string") checkout.assertValid(schema, value);
}

test("a response of each kind is valid against the official document", async (t) => {
  if (typeof checkout === "string") return t.skip(checkout);
  const { post, url } = await runFake(t);
  const approved = await post("/v72/payments", sale("ch_1"));
  checkout.assertValid("PaymentResponse", approved.body);
  const psp = approved.body.pspReference;
  const path = `/v72/payments/${psp}`;
  const cases: [string, string, unknown][] = [
    ["PaymentResponse", "/v72/payments", sale("ch_2", { paymentMethod: { holderName: "FRAUD" } })],
    ["PaymentCaptureResponse", `${path}/captures`, modification("op_1", 100)],
    ["PaymentRefundResponse", `${path}/refunds`, modification("op_2", 100)],
    ["PaymentCancelResponse", `${path}/cancels`, modification("op_3")],
    ["PaymentReversalResponse", `${path}/reversals`, modification("op_4")],
    [
      "StandalonePaymentCancelResponse",
      "/v72/cancels",
      { ...modification("op_5"), paymentReference: "ch_1" },
    ],
    ["ServiceError", "/v72/payments", {}],
    ["ServiceError", "/v72/payments/unknown/captures", modification("op_6", 1)],
  ];
  for (const [schema, endpoint, body] of cases) {
    checkout.assertValid(schema, (await post(endpoint, body)).body);
  }
  const always = { authenticationData: { attemptAuthentication: "always" } };
  const redirected = await post("/v72/payments", sale("ch_3", always));
  checkout.assertValid("PaymentResponse", redirected.body);
  const page = redirected.body.action.url.replace(/^http:\/\/[^/]+/, url);
  const form = { method: "POST", body: "outcome=authenticate", redirect: "manual" as const };
  const back = new URL((await fetch(page, form)).headers.get("location") ?? "");
  const redirectResult = back.searchParams.get("redirectResult");
  const details = await post("/v72/payments/details", { details: { redirectResult } });
  checkout.assertValid("PaymentDetailsResponse", details.body);
});

test("the SDK makes a sale, and the ledger holds the captured amount", async (t) => {
  const { sdk, control } = await runFake(t);
  const payment = await sdk.payments(sale("ch_1"));
  assert.equal(payment.resultCode, "Authorised");
  assert.match(payment.pspReference, /^[A-Z0-9]{16}$/);
  assert.equal(payment.additionalData.refusalReasonRaw, "AUTHORISED");
  assert.match(payment.additionalData.authCode, /^\d{6}$/);
  const { transfers, isBalanced } = await control(`GET ledger?payment=${payment.pspReference}`);
  assert.equal(isBalanced, true);
  assert.deepEqual(
    transfers.map((transfer: Record<string, unknown>) => [
      transfer.kind,
      transfer.debit,
      transfer.credit,
      transfer.value,
    ]),
    [
      ["authorized", "issuer_holds", "authorized", 1000],
      ["captured", "authorized", "issuer_holds", 1000],
      ["captured", "issuers", "payable", 1000],
    ],
  );
});

test("an account without optional fields returns none", async (t) => {
  const { sdk } = await runFake(t, { returnsAdditionalData: false });
  const payment = await sdk.payments(sale("ch_1"));
  assert.equal(payment.additionalData, undefined);
  assertValid("PaymentResponse", JSON.parse(JSON.stringify(payment)));
});

test("documented test values decide the outcome", async (t) => {
  const { sdk } = await runFake(t);
  const outcome = async (changes: Record<string, unknown>) => {
    const payment = await sdk.payments(sale("ch_1", changes));
    const { refusalReasonCode = null, refusalReason = null, resultCode } = payment;
    return [resultCode, refusalReasonCode, refusalReason, payment.additionalData.refusalReasonRaw];
  };
  const named = (holderName: string) => outcome({ paymentMethod: { holderName } });
  assert.deepEqual(await named("DECLINED"), ["Refused", "2", "Refused", "05 : Do not honor"]);
  assert.deepEqual(await named("DECLINED : 06 : ERROR"), ["Refused", "2", "Refused", "06 : ERROR"]);
  assert.deepEqual(await named("NOT_ENOUGH_BALANCE"), [
    "Refused",
    "12",
    "Not enough balance",
    "51 : Insufficient funds",
  ]);
  assert.deepEqual((await named("ERROR")).slice(0, 3), ["Error", "4", "Acquirer Error"]);
  assert.deepEqual((await named("PENDING"))[0], "Received");
  const additionalData = { RequestedTestAcquirerResponseCode: "6" };
  assert.deepEqual((await outcome({ additionalData })).slice(0, 2), ["Refused", "6"]);
  assert.deepEqual((await outcome({ paymentMethod: { cvc: "123" } })).slice(0, 2), [
    "Refused",
    "2",
  ]);
  assert.deepEqual((await outcome({ paymentMethod: { expiryYear: "2020" } }))[1], "6");
});

test("a verification of a card moves no money", async (t) => {
  const { sdk, control } = await runFake(t);
  const payment = await sdk.payments(sale("ch_1", { amount: { currency: "EUR", value: 0 } }));
  assert.equal(payment.resultCode, "Authorised");
  assert.equal((await control("GET ledger")).length, 0);
});

test("an external authentication with a cryptogram shifts liability, and a failed authentication is refused", async (t) => {
  const { sdk } = await runFake(t);
  const proof = { cavv: "AAABBEg0VhI0VniQEjRWAAAAAAA=", eci: "05", threeDSVersion: "2.2.0" };
  const authenticated = await sdk.payments(
    sale("ch_1", { mpiData: { ...proof, directoryResponse: "C", authenticationResponse: "Y" } }),
  );
  assert.equal(authenticated.additionalData.liabilityShift, "true");
  assert.equal(authenticated.additionalData.eci, "05");
  const failed = await sdk.payments(sale("ch_2", { mpiData: { directoryResponse: "N" } }));
  assert.equal(failed.refusalReasonCode, "11");
});

test("a network token needs its cryptogram, which shifts liability", async (t) => {
  const { sdk, post } = await runFake(t);
  const tokenSale = (reference: string, mpiData: object) => {
    const { cvc, ...paymentMethod } = sale(reference).paymentMethod;
    return {
      ...sale(reference, { mpiData }),
      paymentMethod: { ...paymentMethod, type: "networkToken" },
    };
  };
  const proof = { directoryResponse: "Y", authenticationResponse: "Y", eci: "05" };
  const cryptogram = { tokenAuthenticationVerificationValue: "AgAAAAAAAIR8CQrXcIhbQAAAAAA=" };
  const paid = await sdk.payments(tokenSale("ch_1", { ...proof, ...cryptogram }));
  assert.deepEqual(
    [paid.resultCode, paid.additionalData.liabilityShift, paid.additionalData.eci],
    ["Authorised", "true", "05"],
  );
  const { status, body } = await post("/v72/payments", tokenSale("ch_2", proof));
  assert.deepEqual([status, body.errorCode], [422, "702"]);
});

test("a stored credential needs no security code and is never redirected", async (t) => {
  const { sdk } = await runFake(t);
  const { cvc, ...stored } = sale("ch_1", {
    shopperInteraction: "ContAuth",
    recurringProcessingModel: "UnscheduledCardOnFile",
    paymentMethod: { number: "4917610000000000", networkPaymentReference: "123456789012345" },
  }).paymentMethod;
  const payment = await sdk.payments({
    ...sale("ch_1", {
      shopperInteraction: "ContAuth",
      recurringProcessingModel: "UnscheduledCardOnFile",
    }),
    paymentMethod: stored,
  });
  assert.equal(payment.resultCode, "Authorised");
  assert.equal(payment.additionalData.recurringProcessingModel, "UnscheduledCardOnFile");
});

for (const [choice, resultCode] of [
  ["authenticate", "Authorised"],
  ["fail", "Refused"],
] as const) {
  test(`the redirect page with the choice '${choice}' leads to ${resultCode}`, async (t) => {
    const { sdk, control } = await runFake(t);
    const payment = await sdk.payments(
      sale("ch_1", { paymentMethod: { number: "5454545454545454" } }),
    );
    assert.equal(payment.resultCode, "RedirectShopper");
    const { url, method } = payment.action;
    assert.equal(method, "GET");
    assert.match(
      await (await fetch(url)).text(),
      /<button[^>]*>Authenticate<.*\n.*>Fail authentication</,
    );
    const form = { method: "POST", body: `outcome=${choice}`, redirect: "manual" as const };
    const back = new URL((await fetch(url, form)).headers.get("location") ?? "");
    assert.equal(back.searchParams.get("order"), "1");
    const redirectResult = back.searchParams.get("redirectResult");
    const details = await sdk.details({ details: { redirectResult } });
    assert.equal(details.resultCode, resultCode);
    assert.equal(details.merchantReference, "ch_1");
    assert.equal(details.pspReference, payment.pspReference);
    const repeated = await sdk.details({ details: { redirectResult } });
    assert.deepEqual(repeated, details);
    const { length } = await control("GET ledger");
    assert.equal(length, resultCode === "Authorised" ? 3 : 0);
  });
}

test("a request is rejected with Adyen's errors", async (t) => {
  const { post } = await runFake(t);
  const errorOf = async (body: unknown, headers?: Record<string, string>) => {
    const response = await post("/v72/payments", body, headers);
    assertValid("ServiceError", response.body);
    return [response.status, response.body.errorCode];
  };
  const request = sale("ch_1");
  assert.deepEqual(await errorOf(request, { "x-api-key": "other" }), [401, "000"]);
  assert.deepEqual(await errorOf({ ...request, merchantAccount: "Other" }), [403, "901"]);
  assert.deepEqual(await errorOf("{"), [400, "702"]);
  assert.deepEqual(await errorOf({ ...request, amount: undefined }), [422, "100"]);
  assert.deepEqual(await errorOf({ ...request, amount: { currency: "EUR", value: 1.5 } }), [
    422,
    "137",
  ]);
  assert.deepEqual(await errorOf({ ...request, amount: { currency: "EUX", value: 1 } }), [
    422,
    "138",
  ]);
  assert.deepEqual(await errorOf({ ...request, reference: "" }), [422, "130"]);
  assert.deepEqual(await errorOf({ ...request, reference: "x".repeat(81) }), [422, "702"]);
  assert.deepEqual(await errorOf({ ...request, returnUrl: undefined }), [422, "14_030"]);
  assert.deepEqual(await errorOf({ ...request, unknownField: 1 }), [422, "702"]);
  const withCard = (changes: object) => sale("ch_1", { paymentMethod: changes });
  assert.deepEqual(await errorOf(withCard({ number: "4111111111111112" })), [422, "101"]);
  assert.deepEqual(await errorOf(withCard({ cvc: "73" })), [422, "103"]);
  assert.deepEqual(await errorOf(withCard({ expiryMonth: "13" })), [422, "129"]);
  assert.deepEqual(await errorOf(withCard({ type: "ideal" })), [500, "905"]);
});

test("a repeated key returns the same response and creates one payment", async (t) => {
  const { post, control } = await runFake(t);
  const headers = { "idempotency-key": "key-1" };
  const first = await post("/v72/payments", sale("ch_1"), headers);
  const second = await post("/v72/payments", sale("ch_1"), headers);
  assert.deepEqual(second.body, first.body);
  assert.equal(second.headers.get("idempotency-key"), "key-1");
  assert.equal((await control("GET payments")).payments.length, 1);

  const other = await post("/v72/payments", sale("ch_2"), headers);
  assert.equal(other.status, 422);
  assert.notEqual(other.body.errorCode, "704");
  const long = await post("/v72/payments", sale("ch_3"), { "idempotency-key": "k".repeat(65) });
  assert.equal(long.status, 422);

  const day = 24 * 60 * 60 * 1000;
  await control("POST clock", { advanceMs: 7 * day - 1000 });
  assert.deepEqual((await post("/v72/payments", sale("ch_1"), headers)).body, first.body);
  await control("POST clock", { advanceMs: 1000 });
  const later = await post("/v72/payments", sale("ch_1"), headers);
  assert.notEqual(later.body.pspReference, first.body.pspReference);
});

test("a key whose request is in progress is rejected with 704", async (t) => {
  const { post, control } = await runFake(t);
  await control("POST faults", { endpoint: "payments", fault: "slow", delayMs: 300 });
  const headers = { "idempotency-key": "key-1" };
  const slow = post("/v72/payments", sale("ch_1"), headers);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const concurrent = await post("/v72/payments", sale("ch_1"), headers);
  assert.deepEqual([concurrent.status, concurrent.body.errorCode], [422, "704"]);
  const repeated = await slow.then(() => post("/v72/payments", sale("ch_1"), headers));
  assert.equal(repeated.body.pspReference, (await slow).body.pspReference);
});

test("no card number or security code is stored", async (t) => {
  const { sdk, control } = await runFake(t);
  await sdk.payments(hold("ch_1", { paymentMethod: { number: "4988438843884305" } }), {
    idempotencyKey: "key-1",
  });
  const kept = JSON.stringify(await control("GET payments"));
  assert.match(kept, /"last4":"4305"/);
  assert.doesNotMatch(kept, /49884388|"737"/);
});

test("the control API lists the merchant account", async (t) => {
  const { control } = await runFake(t);
  const { accounts } = await control("GET accounts");
  assert.deepEqual(
    accounts.map((entry: { merchantAccount: string }) => entry.merchantAccount),
    [account.merchantAccount],
  );
});

for (const [wallet, type, field] of [
  ["google_pay", "googlepay", "googlePayToken"],
  ["apple_pay", "applepay", "applePayToken"],
] as const) {
  test(`a token of ${type} is decrypted and charged once`, async (t) => {
    const { sdk, control } = await runFake(t);
    const command = { wallet, number: "5555555555554444" };
    const { token } = await control("POST wallet_tokens", command);
    const json = JSON.stringify(token);
    const text = wallet === "google_pay" ? json : Buffer.from(json).toString("base64");
    const { paymentMethod: _, ...rest } = sale("ch_1");
    const order = (reference: string, value: string) => ({
      ...rest,
      reference,
      paymentMethod: { type, [field]: value },
    });
    assertValid("PaymentRequest", order("ch_1", text));
    const paid = await sdk.payments(order("ch_1", text));
    assert.equal(paid.resultCode, "Authorised");
    assert.equal(paid.additionalData.cardSummary, "4444");
    const codeOf = (request: Promise<unknown>) =>
      request.then(
        () => "accepted",
        ({ statusCode, errorCode }) => `${statusCode} ${errorCode}`,
      );
    assert.equal(await codeOf(sdk.payments(order("ch_2", text))), "422 174");
    assert.equal(await codeOf(sdk.payments(order("ch_3", "garbage"))), "422 174");
    const other = { ...order("ch_4", text), paymentMethod: { type } };
    assert.equal(await codeOf(sdk.payments(other)), "422 14_004");
  });
}
