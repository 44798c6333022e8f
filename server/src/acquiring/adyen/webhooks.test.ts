import assert from "node:assert/strict";
import { createHmac, hash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import {
  type Expected,
  type LiveEvent,
  type LiveNotification,
  mismatchOf,
} from "../live-notification.ts";
import { openApiDocument } from "./openapi.fixture.ts";
import {
  deduplicationKeyOf,
  disputeEvents,
  isAuthentic,
  type NotificationItem,
  notificationOf,
  paymentEvents,
  readHmacKey,
  readItems,
  toStoredItem,
} from "./webhooks.ts";

const webhooks = openApiDocument("Webhooks-v1.json");
const now = new Date("2026-01-31T12:00:00Z");
const charge = "ch_01jb0000000000000000000001";
const operation = "op_01jb0000000000000000000002";

type RawItem = Record<string, unknown>;

const authorization: RawItem = {
  additionalData: { authCode: "1234", cardSummary: "7777", expiryDate: "12/2028" },
  amount: { currency: "EUR", value: 1999 },
  eventCode: "AUTHORISATION",
  eventDate: "2026-01-31T12:00:00+01:00",
  merchantAccountCode: "FlorinTest",
  merchantReference: charge,
  operations: ["CANCEL", "CAPTURE", "REFUND"],
  paymentMethod: "visa",
  pspReference: "993617895204576J",
  reason: "1234:7777:12/2028",
  success: "true",
};

const bodyOf = (items: readonly RawItem[], live = "false") =>
  JSON.stringify({
    live,
    notificationItems: items.map((item) => ({ NotificationRequestItem: item })),
  });

function itemOf(change: RawItem = {}, live = "false"): NotificationItem {
  const items = readItems(bodyOf([{ ...authorization, ...change }], live));
  assert.equal(items?.length, 1);
  return items[0] as NotificationItem;
}

const notification = (change: RawItem = {}, live = "false") =>
  notificationOf(itemOf(change, live), now);

const keyOf = (text: string) => {
  const key = readHmacKey(text);
  assert.ok(key !== null);
  return key;
};

/** The key and signature from the page "Verify HMAC signatures" of Adyen's documentation. */
const documentationKey = keyOf("44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056");
const documentationItem: RawItem = {
  additionalData: { hmacSignature: "coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=" },
  amount: { value: 1130, currency: "EUR" },
  pspReference: "7914073381342284",
  eventCode: "AUTHORISATION",
  eventDate: "2019-05-06T17:15:34.121+02:00",
  merchantAccountCode: "TestMerchant",
  merchantReference: "TestPayment-1407325143704",
  paymentMethod: "visa",
  success: "true",
};

/** The key and signature from `hmacValidator.spec.ts`, a test of Adyen's Node library. */
const libraryKey = keyOf("DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00");
const libraryItem: RawItem = {
  additionalData: { hmacSignature: "ipnxGCaUZ4l8TUW75a71/ghd2Fe5ffvX0pV4TLTntIc=" },
  amount: { value: 1000, currency: "EUR" },
  pspReference: "pspReference",
  originalReference: "originalReference",
  eventCode: "EVENT",
  merchantAccountCode: "merchantAccount",
  merchantReference: "reference",
  success: "true",
};

const read = (item: RawItem) =>
  (readItems(bodyOf([item])) as NotificationItem[])[0] as NotificationItem;

test("the published test vectors of Adyen are authentic", () => {
  assert.ok(isAuthentic(read(documentationItem), { current: documentationKey, previous: null }));
  assert.ok(isAuthentic(read(libraryItem), { current: libraryKey, previous: null }));
});

test("the previous key is accepted after a rotation, and no other key", () => {
  const item = read(documentationItem);
  assert.ok(isAuthentic(item, { current: libraryKey, previous: documentationKey }));
  assert.ok(!isAuthentic(item, { current: libraryKey, previous: null }));
  assert.ok(!isAuthentic(item, { current: libraryKey, previous: libraryKey }));
});

test("a change of any signed field breaks the signature", () => {
  const changes: RawItem[] = [
    { pspReference: "7914073381342285" },
    { originalReference: "7914073381342284" },
    { merchantAccountCode: "TestMerchant2" },
    { merchantReference: "TestPayment-1407325143705" },
    { amount: { value: 1131, currency: "EUR" } },
    { amount: { value: 1130, currency: "USD" } },
    { amount: undefined },
    { eventCode: "CAPTURE" },
    { success: "false" },
  ];
  for (const change of changes) {
    const item = read({ ...documentationItem, ...change });
    const keys = { current: documentationKey, previous: documentationKey };
    assert.ok(!isAuthentic(item, keys), JSON.stringify(change));
  }
});

test("a malformed or absent signature is not authentic and does not throw", () => {
  const valid = "coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=";
  const signatures = [
    undefined,
    null,
    "",
    "x",
    valid.slice(0, -1),
    ` ${valid}`,
    `${valid}=`,
    7,
    "é",
  ];
  for (const hmacSignature of signatures) {
    const item = read({ ...documentationItem, additionalData: { hmacSignature } });
    assert.ok(!isAuthentic(item, { current: documentationKey, previous: null }));
  }
  const zeros = Buffer.alloc(32).toString("base64");
  const item = read({ ...documentationItem, additionalData: { hmacSignature: zeros } });
  assert.ok(!isAuthentic(item, { current: documentationKey, previous: null }));
});

test("an HMAC key is 32 bytes in hexadecimal, because a shorter key could be guessed", () => {
  for (const text of ["", "44782DEF", "g".repeat(64), "0".repeat(63), "0".repeat(66)]) {
    assert.equal(readHmacKey(text), null);
  }
});

test("any signed item is authentic under its key only", () => {
  const text = fc.string({ minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(text, text, fc.nat(), fc.boolean(), (pspReference, reference, value, success) => {
      const signed = `${pspReference}::FlorinTest:${reference}:${value}:EUR:CAPTURE:${success}`;
      const hmacSignature = createHmac("sha256", libraryKey).update(signed).digest("base64");
      const item = itemOf({
        additionalData: { hmacSignature },
        pspReference,
        merchantReference: reference,
        amount: { currency: "EUR", value },
        eventCode: "CAPTURE",
        success: String(success),
      });
      assert.ok(isAuthentic(item, { current: libraryKey, previous: null }));
      assert.ok(!isAuthentic(item, { current: documentationKey, previous: null }));
    }),
  );
});

test("a body with an invalid item or without items is rejected as a whole", () => {
  const items = readItems(bodyOf([authorization, { ...authorization, eventCode: "CAPTURE" }]));
  assert.deepEqual(
    items?.map(({ eventCode }) => eventCode),
    ["AUTHORISATION", "CAPTURE"],
  );
  assert.equal(readItems(bodyOf([authorization, { ...authorization, success: true }])), null);
  assert.equal(readItems(bodyOf([])), null);
});

test("a malformed body is rejected", () => {
  const changes: RawItem[] = [
    { success: true },
    { success: "TRUE" },
    { success: undefined },
    { eventCode: "" },
    { eventCode: 1 },
    { pspReference: undefined },
    { merchantAccountCode: null },
    { amount: "10 EUR" },
    { amount: { currency: "EUR", value: "1999" } },
    { amount: { currency: "EUR", value: 19.99 } },
    { amount: { value: 1999 } },
  ];
  for (const change of changes) {
    const body = bodyOf([{ ...authorization, ...change }]);
    assert.equal(readItems(body), null, JSON.stringify(change));
  }
  for (const body of ["", "{", "null", "[]", "{}", '{"live":"false","notificationItems":{}}']) {
    assert.equal(readItems(body), null, body);
  }
  assert.equal(readItems(bodyOf([authorization], "no")), null);
  assert.equal(readItems('{"live":"false","notificationItems":[null]}'), null);
});

test("no body makes the functions throw", () => {
  const json = fc.jsonValue();
  const body = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record({
        live: fc.constantFrom("true", "false"),
        notificationItems: fc.array(
          fc.record({
            NotificationRequestItem: fc.record({
              eventCode: fc.constantFrom(...Object.keys({ ...paymentEvents, ...disputeEvents })),
              success: fc.constantFrom("true", "false"),
              pspReference: fc.string({ minLength: 1 }),
              merchantAccountCode: fc.string({ minLength: 1 }),
              merchantReference: json,
              eventDate: json,
              reason: json,
              paymentMethod: json,
              additionalData: json,
            }),
          }),
        ),
      })
      .map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(body, (text) => {
      for (const item of readItems(text) ?? []) {
        notificationOf(item, now);
        isAuthentic(item, { current: libraryKey, previous: null });
      }
    }),
  );
});

test("a successful authorization is an approval of our charge", () => {
  assert.deepEqual(notification(), {
    eventCode: "AUTHORISATION",
    live: false,
    merchantAccount: "FlorinTest",
    reference: charge,
    acquirerReference: "993617895204576J",
    paymentReference: "993617895204576J",
    price: { amountMinor: 1999, currency: "eur" },
    createdAt: new Date("2026-01-31T11:00:00Z"),
    event: {
      kind: "authorization",
      outcome: {
        kind: "approved",
        approvedMinor: 1999,
        details: {
          acquirerReference: "993617895204576J",
          authorizationCode: "1234",
          eci: null,
          liabilityShifted: null,
          networkTransactionId: null,
          networkAdviceCode: null,
          checks: { addressLine1Check: null, addressPostalCodeCheck: null, cvcCheck: null },
          card: {
            brand: "visa",
            funding: null,
            country: null,
            last4: "7777",
            expiry: { month: 12, year: 2028 },
          },
          accountUpdate: null,
        },
      },
    },
  } satisfies LiveNotification);
});

test("a failed authorization is a decline, whose code is found by Adyen's text", () => {
  const { event } = notification({
    success: "false",
    reason: "Expired Card",
    paymentMethod: "mc",
    additionalData: { refusalReasonRaw: "54 : Expired card", merchantAdviceCode: "24" },
  });
  assert.ok(event.kind === "authorization" && event.outcome.kind === "declined");
  assert.equal(event.outcome.code, "expired_card");
  assert.equal(event.outcome.networkDeclineCode, "54");
  assert.deepEqual(event.outcome.notBefore, new Date("2026-01-31T13:00:00Z"));
});

test("an approval without a readable amount never equals the requested amount", () => {
  for (const amount of [undefined, { currency: "ISK", value: 27_950 }]) {
    const received = notification({ amount });
    assert.equal(received.price, null);
    assert.ok(received.event.kind === "authorization");
    assert.equal(
      received.event.outcome.kind === "approved" && received.event.outcome.approvedMinor,
      0,
    );
  }
});

const eventOf = (eventCode: string, change: RawItem = {}): LiveEvent =>
  notification({
    eventCode,
    originalReference: "993617895204576J",
    pspReference: "993617894906488A",
    merchantReference: operation,
    additionalData: {},
    reason: "",
    ...change,
  }).event;

test("every event code in the table has its kind", () => {
  for (const [eventCode, kind] of Object.entries(paymentEvents)) {
    assert.equal(eventOf(eventCode).kind, kind, eventCode);
  }
});

test("an operation has succeeded if `success` is true, and has a reason otherwise", () => {
  for (const eventCode of ["CAPTURE", "CANCELLATION", "REFUND", "TECHNICAL_CANCEL"] as const) {
    const kind = paymentEvents[eventCode];
    assert.deepEqual(eventOf(eventCode), { kind, succeeded: true, reason: null });
    assert.deepEqual(eventOf(eventCode, { success: "false", reason: "Insufficient balance" }), {
      kind,
      succeeded: false,
      reason: "Insufficient balance",
    });
  }
});

test("a reversal says whether it became a cancellation or a refund", () => {
  const executedAs = (action: unknown) => {
    const event = eventOf("CANCEL_OR_REFUND", {
      additionalData: { "modification.action": action },
    });
    return event.kind === "reversal" ? event.executedAs : "no reversal";
  };
  assert.equal(executedAs("cancel"), "cancellation");
  assert.equal(executedAs("refund"), "refund");
  assert.equal(executedAs("other"), null);
  assert.equal(executedAs(undefined), null);
});

test("a late failure has its reason, and is ignored if `success` is false", () => {
  for (const eventCode of ["CAPTURE_FAILED", "REFUND_FAILED", "REFUNDED_REVERSED"] as const) {
    const kind = paymentEvents[eventCode];
    assert.deepEqual(eventOf(eventCode, { reason: "Capture Failed" }), {
      kind,
      reason: "Capture Failed",
    });
    assert.deepEqual(eventOf(eventCode, { success: "false" }), { kind: "ignored" });
  }
  assert.deepEqual(eventOf("EXPIRE", { success: "false" }), { kind: "ignored" });
});

test("a notification of an operation has Adyen's references of operation and payment, and our operation ID", () => {
  const received = notification({
    eventCode: "CAPTURE",
    pspReference: "993617894906488A",
    originalReference: "993617895204576J",
    merchantReference: operation,
  });
  assert.equal(received.reference, operation);
  assert.equal(received.acquirerReference, "993617894906488A");
  assert.equal(received.paymentReference, "993617895204576J");
  const foreign = notification({ eventCode: "CAPTURE", merchantReference: "order-1" });
  assert.equal(foreign.reference, null);
  assert.equal(foreign.paymentReference, null);
});

test("a repeated delivery has the same deduplication key, and another event of the operation a different one", () => {
  const keys = [
    {},
    { eventCode: "CAPTURE" },
    { success: "false" },
    { pspReference: "993617894906488A" },
    { eventDate: "2026-02-01T12:00:00+01:00" },
  ].map((change) => deduplicationKeyOf(itemOf(change)));
  const identity = `["AUTHORISATION","993617895204576J","${charge}",true,"2026-01-31T11:00:00.000Z",false,"FlorinTest",1999,"EUR"]`;
  assert.equal(keys[0], hash("sha256", identity, "base64url"));
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(deduplicationKeyOf(itemOf({ reason: "other" })), keys[0]);
});

test("a notification with another environment, account or amount has another deduplication key", () => {
  const keys = [
    itemOf(),
    itemOf({}, "true"),
    itemOf({ merchantAccountCode: "Other" }),
    itemOf({ amount: { currency: "EUR", value: 2000 } }),
    itemOf({ amount: { currency: "USD", value: 1999 } }),
  ].map(deduplicationKeyOf);
  assert.equal(new Set(keys).size, keys.length);
});

test("every dispute event has its stage and state", () => {
  for (const [eventCode, { stage, state }] of Object.entries(disputeEvents)) {
    const event = eventOf(eventCode, { additionalData: { chargebackReasonCode: "4853" } });
    assert.ok(event.kind === "dispute", eventCode);
    assert.equal(event.stage, stage);
    assert.equal(event.state, state);
  }
});

test("a dispute has its deadline, reason and amount", () => {
  const event = eventOf("NOTIFICATION_OF_CHARGEBACK", {
    merchantReference: charge,
    reason: "Fraud",
    additionalData: {
      chargebackReasonCode: " 4853",
      chargebackSchemeCode: "mc",
      defensePeriodEndsAt: "2026-03-01T03:03:08+02:00",
      defendable: "true",
      autoDefended: "false",
      disputeStatus: "Unresponded",
      grossCurrency: "EUR",
      grossValue: "2000",
    },
  });
  assert.deepEqual(event, {
    kind: "dispute",
    stage: "chargeback",
    state: "open",
    status: "Unresponded",
    reasonCode: "4853",
    disputeReason: "general",
    reason: "Fraud",
    scheme: "mc",
    defensePeriodEndsAt: new Date("2026-03-01T01:03:08Z"),
    defendable: true,
    autoDefended: false,
    grossPrice: { amountMinor: 2000, currency: "eur" },
  });
});

test("a request for information has its own reason code, and malformed data is null", () => {
  const event = eventOf("REQUEST_FOR_INFORMATION", {
    additionalData: {
      rfiReasonCode: "6305",
      rfiSchemeCode: "mc",
      defensePeriodEndsAt: "tomorrow",
      defendable: "yes",
      grossCurrency: "EUR",
      grossValue: "20.00",
    },
  });
  assert.ok(event.kind === "dispute");
  assert.equal(event.stage, "inquiry");
  assert.equal(event.reasonCode, "6305");
  assert.equal(event.scheme, "mc");
  assert.equal(event.defensePeriodEndsAt, null);
  assert.equal(event.defendable, null);
  assert.equal(event.grossPrice, null);
});

test("an event about a response belongs to the inquiry if it has the reason code of one", () => {
  const stageOf = (eventCode: string, additionalData: Readonly<Record<string, string>>) => {
    const event = eventOf(eventCode, { additionalData });
    return event.kind === "dispute" && event.stage;
  };
  for (const eventCode of ["INFORMATION_SUPPLIED", "DISPUTE_DEFENSE_PERIOD_ENDED"]) {
    assert.equal(stageOf(eventCode, { rfiReasonCode: "6305" }), "inquiry");
    assert.equal(stageOf(eventCode, { chargebackReasonCode: "4853" }), "chargeback");
    assert.equal(stageOf(eventCode, {}), null);
  }
  assert.equal(stageOf("CHARGEBACK", { rfiReasonCode: "6305" }), "chargeback");
});

test("a report is downloaded only from Adyen's host of the same environment", () => {
  const urlOf = (reason: string, live = "false") => {
    const { event } = notification({ eventCode: "REPORT_AVAILABLE", reason }, live);
    return event.kind === "report_available" ? event.url : "no report";
  };
  const path = "/reports/download/MerchantAccount/FlorinTest/settlement_detail_report_batch_4.csv";
  const onTestHost = `https://ca-test.adyen.com${path}`;
  assert.equal(urlOf(onTestHost), onTestHost);
  assert.equal(
    urlOf(`https://ca-live.adyen.com${path}`, "true"),
    `https://ca-live.adyen.com${path}`,
  );
  for (const url of [
    `https://ca-live.adyen.com${path}`,
    `http://ca-test.adyen.com${path}`,
    `https://ca-test.adyen.com:8443${path}`,
    `https://ca-test.adyen.com.evil.example${path}`,
    `https://evil.example/ca-test.adyen.com${path}`,
    `https://user@ca-test.adyen.com${path}`,
    `https://:secret@ca-test.adyen.com${path}`,
    "settlement_detail_report_batch_4.csv",
    "",
  ]) {
    assert.equal(urlOf(url), null, url);
  }
});

test("every other event is ignored", () => {
  for (const eventCode of [
    "NOTIFICATION_OF_FRAUD",
    "RECURRING_CONTRACT",
    "NEW_EVENT",
    "constructor",
  ]) {
    assert.deepEqual(eventOf(eventCode), { kind: "ignored" });
  }
});

test("a notification that tests the webhook is ignored", () => {
  const test = { pspReference: "test_AUTHORISATION_1", merchantReference: "testMerchantRef1" };
  assert.deepEqual(eventOf("AUTHORISATION", test), { kind: "ignored" });
});

const expected: Expected = {
  live: false,
  merchantAccount: "FlorinTest",
  price: { amountMinor: 1999, currency: "eur" },
};

test("a notification matches only if it has the values that we sent", () => {
  assert.equal(mismatchOf(notification(), expected), null);
  const differences = {
    environment: notification({}, "true"),
    merchant_account: notification({ merchantAccountCode: "Other" }),
    currency: notification({ amount: { currency: "USD", value: 1999 } }),
    amount: notification({ amount: { currency: "EUR", value: 1998 } }),
  };
  for (const [mismatch, received] of Object.entries(differences)) {
    assert.equal(mismatchOf(received, expected), mismatch);
  }
  assert.equal(mismatchOf(notification({ amount: undefined }), expected), "currency");
});

test("the amount is compared for captures and refunds, and not for cancellations and disputes", () => {
  const other = { amount: { currency: "EUR", value: 1 }, additionalData: {} };
  const compared = [
    ["CAPTURE", "amount"],
    ["CAPTURE_FAILED", "amount"],
    ["REFUND", "amount"],
    ["REFUND_FAILED", "amount"],
    ["REFUNDED_REVERSED", "amount"],
    ["CANCELLATION", null],
    ["TECHNICAL_CANCEL", null],
    ["CANCEL_OR_REFUND", null],
    ["EXPIRE", null],
    ["CHARGEBACK", null],
  ] as const;
  for (const [eventCode, mismatch] of compared) {
    assert.equal(mismatchOf(notification({ ...other, eventCode }), expected), mismatch, eventCode);
  }
});

test("Adyen's own examples are read", (t) => {
  if (typeof webhooks === "string") return t.skip(webhooks);
  const kindOf = (name: string) => {
    const items = readItems(JSON.stringify(webhooks.example(`post-${name}`)));
    assert.equal(items?.length, 1, name);
    return notificationOf(items[0] as NotificationItem, now).event.kind;
  };
  for (const [eventCode, kind] of Object.entries(paymentEvents)) {
    assert.equal(kindOf(`${eventCode}-${eventCode.toLowerCase()}`), kind);
  }
  for (const eventCode of [
    "REQUEST_FOR_INFORMATION",
    "NOTIFICATION_OF_CHARGEBACK",
    "CHARGEBACK",
    "CHARGEBACK_REVERSED",
    "SECOND_CHARGEBACK",
    "PREARBITRATION_WON",
    "PREARBITRATION_LOST",
    "DISPUTE_DEFENSE_PERIOD_ENDED",
    "ISSUER_RESPONSE_TIMEFRAME_EXPIRED",
    "INFORMATION_SUPPLIED",
  ]) {
    assert.equal(kindOf(`${eventCode}-${eventCode.toLowerCase()}`), "dispute");
  }
  assert.equal(kindOf("NOTIFICATION_OF_FRAUD-notification_of_fraud"), "ignored");
});

test("the samples of these tests are valid against Adyen's OpenAPI document", (t) => {
  if (typeof webhooks === "string") return t.skip(webhooks);
  webhooks.assertValid("AuthorisationNotificationRequestItem", {
    ...authorization,
    additionalData: { authCode: "1234", cardSummary: "7777" },
  });
  const { operations: _, ...common } = authorization;
  const capture = {
    ...common,
    eventCode: "CAPTURE",
    originalReference: "993617895204576J",
    additionalData: {},
  };
  webhooks.assertValid("CaptureNotificationRequestItem", capture);
  webhooks.assertValid("DisputesNotificationRequestItem", {
    ...capture,
    eventCode: "CHARGEBACK",
    additionalData: {
      chargebackReasonCode: "4853",
      defensePeriodEndsAt: "2026-03-01T03:03:08+02:00",
    },
  });
});

test("an item is stored without its signature and without card numbers, wherever Adyen puts them", () => {
  const number = "4111111111111111";
  const item = itemOf({
    reason: `card ${number}`,
    additionalData: {
      hmacSignature: "c2lnbmF0dXJl",
      networkTxReference: "MCC123456789012",
      text: `was 4111 1111 1111 1111`,
      number: Number(number),
      [number]: "name",
      nested: [{ deep: number }, null, true, 1999],
    },
  });
  const { reason, additionalData } = toStoredItem(item);
  assert.equal(reason, "card ••••");
  assert.deepEqual(additionalData, {
    networkTxReference: "MCC123456789012",
    text: "was ••••",
    number: "••••",
    "••••": "name",
    nested: [{ deep: "••••" }, null, true, 1999],
  });
});
