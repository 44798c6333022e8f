import assert from "node:assert/strict";
import { test } from "node:test";
import { parseGooglePayCommand, parseGooglePayEvent, withEnvelope } from "./google-pay-message.ts";

const nonce = "0123456789abcdef0123456789abcdef";
const token = withEnvelope({ type: "token", opening: 1, token: "{}" }, nonce);

test("an event with the nonce of the frame is read", () => {
  for (const event of [
    { type: "hello" },
    { type: "ready" },
    { type: "unavailable" },
    { type: "opened", opening: 1 },
    { type: "canceled", opening: 2 },
    { type: "failed", opening: 3 },
  ] as const) {
    const message = withEnvelope(event, nonce);
    assert.deepEqual(parseGooglePayEvent(message, nonce), message);
  }
  assert.deepEqual(parseGooglePayEvent(token, nonce), token);
});

test("a message with another nonce, version, type or shape is ignored", () => {
  for (const changed of [
    { nonce: "f".repeat(32) },
    { nonce: undefined },
    { florin_google_pay: 2 },
    { type: "pay" },
    { type: "toString" },
    { opening: 0 },
    { opening: -1 },
    { opening: 1.5 },
    { opening: "1" },
    { opening: Number.MAX_SAFE_INTEGER + 1 },
    { token: "" },
    { token: "x".repeat(10_001) },
    { token: {} },
    { amount: 1 },
  ]) {
    assert.equal(
      parseGooglePayEvent({ ...token, ...changed }, nonce),
      null,
      JSON.stringify(changed),
    );
  }
  for (const data of [null, undefined, "token", 1, [], [token]]) {
    assert.equal(parseGooglePayEvent(data, nonce), null);
  }
});

test("a nonce that is not 128 bits never matches", () => {
  for (const short of ["", "1", "undefined", "F".repeat(32)]) {
    assert.equal(parseGooglePayEvent(withEnvelope({ type: "hello" }, short), short), null);
  }
});

test("the page accepts only its command, and the form accepts only events", () => {
  const command = withEnvelope({ type: "configure", request: {} as never }, nonce);
  assert.deepEqual(parseGooglePayCommand(command, nonce), command);
  assert.equal(parseGooglePayCommand({ ...command, request: null }, nonce), null);
  assert.equal(parseGooglePayCommand(token, nonce), null);
  assert.equal(parseGooglePayEvent(command, nonce), null);
});
