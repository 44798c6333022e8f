import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeclineCode } from "@florin/contract/declines.ts";
import {
  type DeclinedResponse,
  declineOf,
  networkCodeOf,
  responseCodes,
} from "./response-codes.ts";

const now = new Date("2026-11-27T12:00:00Z");
const none: DeclinedResponse = {
  responseCode: null,
  recommendationCode: null,
  merchantAdviceCode: null,
  network: null,
};
const of = (declined: Partial<DeclinedResponse>) => declineOf({ ...none, ...declined }, now);

test("every response code maps to one of Florin's decline codes", () => {
  for (const [responseCode, code] of Object.entries(responseCodes)) {
    assert.ok(isDeclineCode(code), responseCode);
    assert.match(responseCode, /^[234][0-9A-Z]{4}$/);
  }
});

test("a response code becomes a decline code", () => {
  for (const [responseCode, code] of [
    ["20005", "do_not_honor"],
    ["20051", "insufficient_funds"],
    ["200N7", "incorrect_cvc"],
    ["20154", "authentication_required"],
    ["30041", "lost_card"],
    ["40101", "fraudulent"],
    ["43102", "fraudulent"],
    ["44301", "authentication_required"],
    ["29999", "generic_decline"],
    [null, "generic_decline"],
  ] as const) {
    assert.equal(of({ responseCode }).code, code, String(responseCode));
  }
});

test("the network's code is the end of a response code that an issuer caused", () => {
  for (const [responseCode, network] of [
    ["20051", "51"],
    ["2005C", "5C"],
    ["200R3", "R3"],
    ["30041", "41"],
    ["20179", "79"],
    ["20154", null],
    ["30017", null],
    ["20105", null],
    ["40101", null],
    [null, null],
  ] as const) {
    assert.equal(networkCodeOf(responseCode), network, String(responseCode));
  }
});

test("Mastercard's advice sets the time of another attempt", () => {
  const waiting = of({ responseCode: "20051", merchantAdviceCode: "26", recommendationCode: "02" });
  assert.deepEqual([waiting.retry, waiting.notBefore], ["later", new Date("2026-11-29T12:00:00Z")]);
  assert.equal(of({ responseCode: "20005", merchantAdviceCode: "03" }).retry, "never");
});

test("without the network's advice, Checkout.com's recommendation applies", () => {
  assert.equal(of({ responseCode: "20005", recommendationCode: "03" }).retry, "never");
  assert.equal(of({ responseCode: "20005", recommendationCode: "02" }).retry, "later");
  assert.equal(of({ responseCode: "20005", recommendationCode: "21" }).retry, "other");
  assert.equal(of({ responseCode: "29999", recommendationCode: "03" }).code, "do_not_try_again");
});

test("a decline for which Visa forbids another attempt is never retried", () => {
  assert.equal(of({ responseCode: "20014", network: "visa" }).retry, "never");
  assert.equal(of({ responseCode: "20014", network: "mastercard" }).retry, "fix");
});

test("advice to try again does not replace the need to authenticate", () => {
  assert.equal(of({ responseCode: "20154", recommendationCode: "02" }).retry, "auth");
});
