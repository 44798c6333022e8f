import assert from "node:assert/strict";
import { test } from "node:test";
import { declineCodes, isDeclineCode } from "@florin/contract/declines.ts";
import { merchantAdvice, visaNeverApproves } from "../network-advice.ts";
import {
  declineOf,
  networkCodeOf,
  type Refusal,
  refusalCodeNamed,
  refusalReasons,
} from "./decline-codes.ts";

const now = new Date("2026-01-31T12:00:00Z");
const refused: Refusal = {
  resultCode: "Refused",
  refusalReasonCode: "2",
  refusalReasonRaw: null,
  merchantAdviceCode: null,
  network: null,
};

test("every refusal reason has our decline code and its retry class", () => {
  for (const [refusalReasonCode, { code }] of Object.entries(refusalReasons)) {
    assert.ok(isDeclineCode(code));
    assert.deepEqual(declineOf({ ...refused, refusalReasonCode }, now), {
      code,
      networkDeclineCode: null,
      retry: declineCodes[code].retry,
      notBefore: null,
    });
  }
});

test("the most frequent refusal reasons have the expected decline codes", () => {
  const codeOf = (refusalReasonCode: string) =>
    declineOf({ ...refused, refusalReasonCode }, now).code;
  assert.equal(codeOf("6"), "expired_card");
  assert.equal(codeOf("12"), "insufficient_funds");
  assert.equal(codeOf("24"), "incorrect_cvc");
  assert.equal(codeOf("38"), "authentication_required");
});

test("an unknown or absent refusal reason is a generic decline", () => {
  for (const refusalReasonCode of ["0", "13", "30", "99", "", "constructor", null]) {
    assert.equal(declineOf({ ...refused, refusalReasonCode }, now).code, "generic_decline");
  }
});

test("the result code `Error` is a processing error, whatever the refusal reason", () => {
  const decline = declineOf({ ...refused, resultCode: "Error", refusalReasonCode: "12" }, now);
  assert.equal(decline.code, "processing_error");
});

test("the network's code is the two characters before the colon", () => {
  assert.equal(networkCodeOf("05 : Do not honor"), "05");
  assert.equal(networkCodeOf("51: Insufficient funds/over credit limit"), "51");
  assert.equal(networkCodeOf("1A : Additional customer authentication required"), "1A");
  assert.equal(networkCodeOf("R0 : Stop payment order"), "R0");
  for (const raw of [null, "", "DECLINED", "DECLINED: 05", "051 : X", "05", "05:no space"]) {
    assert.equal(networkCodeOf(raw), null, String(raw));
  }
});

test("a refusal reason without its code is found by its name", () => {
  for (const [number, { name }] of Object.entries(refusalReasons)) {
    assert.equal(refusalCodeNamed(name), number);
  }
  assert.equal(refusalCodeNamed("6 : Expired Card"), "6");
  assert.equal(refusalCodeNamed("6: Expired card"), "6");
  for (const other of [null, "", "Do not honor", "constructor"]) {
    assert.equal(refusalCodeNamed(other), null, String(other));
  }
});

test("each of Mastercard's merchant advice codes sets the retry class and the time", () => {
  const hours: Record<string, number> = {
    24: 1,
    25: 24,
    26: 48,
    27: 96,
    28: 144,
    29: 192,
    30: 240,
  };
  for (const [merchantAdviceCode, { retry, code }] of Object.entries(merchantAdvice)) {
    const decline = declineOf({ ...refused, merchantAdviceCode, network: "mastercard" }, now);
    const wait = hours[merchantAdviceCode];
    assert.equal(decline.retry, retry);
    assert.equal(decline.code, code ?? "generic_decline");
    assert.deepEqual(
      decline.notBefore,
      wait === undefined ? null : new Date(now.getTime() + wait * 3_600_000),
    );
  }
});

test("advice replaces the retry class but not a specific decline code", () => {
  const decline = declineOf(
    { ...refused, refusalReasonCode: "12", merchantAdviceCode: "03", network: "mastercard" },
    now,
  );
  assert.equal(decline.code, "insufficient_funds");
  assert.equal(decline.retry, "never");
});

test("advice counts only for Mastercard, and unknown advice has no effect", () => {
  for (const network of ["visa", null] as const) {
    assert.equal(declineOf({ ...refused, merchantAdviceCode: "03", network }, now).retry, "other");
  }
  const unknown = { ...refused, network: "mastercard" } as const;
  for (const merchantAdviceCode of ["40", "1", "", "constructor"]) {
    const decline = declineOf({ ...unknown, merchantAdviceCode }, now);
    assert.equal(decline.retry, "other");
    assert.equal(decline.notBefore, null);
  }
});

test("Visa's category 1 codes forbid another attempt, for Visa only", () => {
  for (const code of visaNeverApproves) {
    const raw = { ...refused, refusalReasonRaw: `${code} : Some reason` };
    assert.equal(declineOf({ ...raw, network: "visa" }, now).retry, "never");
    assert.equal(declineOf({ ...raw, network: "mastercard" }, now).retry, "other");
  }
  assert.equal(visaNeverApproves.size, 12);
});
