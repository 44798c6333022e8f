import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { FrameMessage, PageMessage } from "./message.ts";
import { isHello, isPortOffer, parseFrameMessage, parsePageMessage } from "./parse-message.ts";

const sessionId = "cs_01jbqw3e4r5t6y7z8x9cvbnmas";

const frameMessages: FrameMessage[] = [
  { type: "ready" },
  { type: "resize", height: 480 },
  { type: "change", complete: false, brand: "visa", invalid: ["number", "cvc"] },
  { type: "change", complete: true, brand: null, invalid: [] },
  { type: "focus", field: "number" },
  { type: "blur", field: "name" },
  { type: "submitting" },
  { type: "requires_action" },
  {
    type: "modal.open",
    url: "https://pay.example/challenge/acct_1/test/ch_1/secret_a-b",
    title: "Confirm with your bank",
    close: "Close",
    question: "Stop confirming this payment?",
    stay: "Go on",
    leave: "Stop",
  },
  { type: "modal.close" },
  { type: "complete", session_id: sessionId, status: "complete" },
  {
    type: "failed",
    code: "card_declined",
    decline_code: null,
    message: "Declined.",
    retryable: true,
  },
  { type: "canceled" },
  { type: "expired" },
  { type: "error", code: "unreachable", message: "No answer." },
];

const pageMessages: PageMessage[] = [
  { type: "submit" },
  {
    type: "update",
    pay_button: "hidden",
    postal_code: "required",
    locale: "pt-BR",
    appearance: { accent: "#0b5d45" },
  },
  { type: "focus", field: null },
  { type: "modal.dismissed" },
  { type: "destroy" },
];

test("every message of the protocol is parsed unchanged", () => {
  for (const message of frameMessages) assert.deepEqual(parseFrameMessage(message), message);
  for (const message of pageMessages) assert.deepEqual(parsePageMessage(message), message);
});

test("a message with an extra or a missing key is rejected", () => {
  for (const message of frameMessages) {
    assert.equal(parseFrameMessage({ ...message, extra: 1 }), null);
    for (const key of Object.keys(message)) {
      const { [key as "type"]: _, ...shorter } = message;
      assert.equal(parseFrameMessage(shorter), null, `${message.type} without ${key}`);
    }
  }
});

test("no message can carry a card number", () => {
  const cardNumbers = [
    "4242424242424242",
    "4242 4242 4242 4242",
    "٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢",
    4242424242424242,
  ];
  for (const message of [...frameMessages, ...pageMessages]) {
    for (const key of Object.keys(message)) {
      for (const number of cardNumbers) {
        for (const smuggled of [
          number,
          [number],
          { number },
          `${String(message[key as "type"])}${number}`,
        ]) {
          const altered = { ...message, [key]: smuggled };
          assert.equal(parseFrameMessage(altered), null, JSON.stringify(altered));
          assert.equal(parsePageMessage(altered), null, JSON.stringify(altered));
        }
      }
    }
  }
});

test("only Florin's own challenge URLs can be opened over the page", () => {
  const [open] = frameMessages.filter(({ type }) => type === "modal.open");
  for (const url of [
    "https://pay.example/other",
    "javascript:alert(1)//challenge/x",
    "data:text/html,/challenge/x",
    "//pay.example/challenge/x",
    "https://pay.example/challenge/",
    "https://user@pay.example/challenge/x",
    "https://pay.example/challenge/4242424242424242",
    "https://pay.example/challenge/<script>",
  ]) {
    assert.equal(parseFrameMessage({ ...open, url }), null, url);
  }
});

test("a list with extra properties, gaps or duplicates is rejected", () => {
  const invalid = Object.assign(["number"], { note: "4242424242424242" });
  const change = { type: "change", complete: true, brand: null };
  assert.equal(parseFrameMessage({ ...change, invalid }), null);
  assert.equal(parseFrameMessage({ ...change, invalid: new Array(2) }), null);
  assert.equal(parseFrameMessage({ ...change, invalid: ["number", "number"] }), null);
});

test("any other value is rejected without an exception", () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true, withMap: true, withDate: true }), (data) => {
      assert.equal(parseFrameMessage(data), null);
      assert.equal(parsePageMessage(data), null);
      assert.equal(isHello(data), false);
      assert.equal(isPortOffer(data), false);
    }),
  );
  assert.equal(parseFrameMessage({ type: "toString" }), null);
  assert.equal(parseFrameMessage({ type: "__proto__" }), null);
});

test("a `hello` with another version or extra keys is rejected", () => {
  assert.equal(isHello({ florin: 1, type: "hello" }), true);
  assert.equal(isHello({ florin: 2, type: "hello" }), false);
  assert.equal(isHello({ florin: 1, type: "hello", more: true }), false);
  assert.equal(isHello({ florin: 1, type: "port" }), false);
  assert.equal(isPortOffer({ florin: 1, type: "port" }), true);
});
