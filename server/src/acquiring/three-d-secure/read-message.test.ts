import assert from "node:assert/strict";
import { test } from "node:test";
import { currencies, currencyNumber } from "@florin/contract/currency.ts";
import fc from "fast-check";
import { decodeBase64url, encodeBase64url } from "./base64url.ts";
import { countryNumber } from "./country-numbers.ts";
import { eciOf, meanings, shiftsLiability, type TransStatus } from "./eci.ts";
import type { ARes, RReq } from "./message.ts";
import { erroFor, readMessage, writeMessage } from "./read-message.ts";

const id = "0b7c1f56-5c1a-4f0e-9a69-0f3d5f4b8a11";

const ares: ARes = {
  messageType: "ARes",
  messageVersion: "2.2.0",
  threeDSServerTransID: id,
  dsTransID: id,
  acsTransID: id,
  acsReferenceNumber: "bank",
  dsReferenceNumber: "directory",
  transStatus: "Y",
  authenticationValue: "AAECAwQFBgcICQoLDA0ODxAREhM=",
  eci: "05",
};

const read = (message: object) => readMessage("ARes", JSON.stringify(message));

test("a valid message is parsed and unknown elements are ignored", () => {
  const message = { ...ares, broadInfo: { from: "the future" } };
  assert.deepEqual(read(message), { kind: "message", message });
});

test("the issuer's text may be in any script", () => {
  const message = { ...ares, cardholderInfo: "Ваш банк 😀 銀行" };
  assert.deepEqual(read(message), { kind: "message", message });
});

for (const [what, message, expected] of [
  ["a missing element", { ...ares, acsTransID: undefined }, ["201", "acsTransID"]],
  [
    "two missing elements",
    { ...ares, acsTransID: undefined, dsTransID: undefined },
    ["201", "dsTransID,acsTransID"],
  ],
  ["an unknown transStatus", { ...ares, transStatus: "X" }, ["203", "transStatus"]],
  [
    "a cryptogram of 19 bytes",
    { ...ares, authenticationValue: "AAECAwQFBgcICQoLDA0ODxAREg==" },
    ["203", "authenticationValue"],
  ],
  ["an invalid id", { ...ares, dsTransID: "4000003170000000" }, ["203", "dsTransID"]],
  ["an invalid URL", { ...ares, acsURL: "javascript:alert(1)" }, ["203", "acsURL"]],
  ["a URL with a NUL", { ...ares, acsURL: "https://bank.example/\0" }, ["203", "acsURL"]],
  ["a NUL in the cardholder text", { ...ares, cardholderInfo: "a\0b" }, ["203", "cardholderInfo"]],
  ["a lone surrogate", { ...ares, cardholderInfo: "\ud83d" }, ["203", "cardholderInfo"]],
  ["a one-digit ECI", { ...ares, eci: "5" }, ["203", "eci"]],
  ["another version", { ...ares, messageVersion: "3.0.0" }, ["102", "2.1.0,2.2.0"]],
  ["another message type", { ...ares, messageType: "RReq" }, ["101", "Awaited ARes"]],
  ["an array", [ares], ["101", "Awaited ARes"]],
] as const) {
  test(`an ARes with ${what} is rejected with an Erro that repeats no value`, () => {
    const response = read(message);
    assert.ok(response.kind === "violation");
    const { errorCode, errorDetail } = response.violation;
    assert.deepEqual([errorCode, errorDetail], expected);
  });
}

test("text that is not JSON is rejected", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      assert.notEqual(readMessage("RReq", text).kind, "message");
    }),
  );
});

test("an Erro from the sender is distinguished from an unreadable message", () => {
  const violation = { errorCode: "203", errorDescription: "x", errorDetail: "eci" } as const;
  const erro = erroFor(violation, { component: "D", about: "AReq" });
  assert.deepEqual(read(erro), { kind: "erro", erro });
  assert.equal(read({ ...erro, errorCode: "999" }).kind, "violation");
});

test("an outgoing message that violates its schema throws and is not sent", () => {
  const rreq = { messageType: "RReq", messageVersion: "2.2.0" } as RReq;
  assert.throws(() => writeMessage(rreq), /RReq: Required Element Missing: messageCategory/);
});

test("base64url is written without padding and read with or without it, and other characters are rejected", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: "grapheme" }), (text) => {
      const encoded = encodeBase64url(text);
      assert.doesNotMatch(encoded, /[+/=]/);
      const padded = encoded.padEnd(Math.ceil(encoded.length / 4) * 4, "=");
      assert.equal(decodeBase64url(encoded), text);
      assert.equal(decodeBase64url(padded), text);
    }),
  );
  for (const wrong of ["", "=", "==", "a", "ab+c", "ab/c", "ab c", "ab\n", "abc===", "ab=c"]) {
    assert.equal(decodeBase64url(wrong), null, wrong);
  }
});

test("the ECI of each transStatus matches the networks' table", () => {
  const table = (Object.keys(meanings) as TransStatus[]).map((transStatus) => [
    transStatus,
    eciOf("visa", transStatus),
    eciOf("mastercard", transStatus),
    meanings[transStatus].liabilityShift,
  ]);
  assert.deepEqual(table, [
    ["Y", "05", "02", true],
    ["A", "06", "01", true],
    ["N", "07", "00", false],
    ["R", null, "00", false],
    ["U", "07", "00", false],
    ["I", "07", "06", false],
  ]);
});

test("liability shift is reported only if transStatus and ECI agree", () => {
  assert.equal(shiftsLiability("visa", "Y", "05"), true);
  assert.equal(shiftsLiability("visa", "Y", null), true);
  assert.equal(shiftsLiability("visa", "Y", "07"), false);
  assert.equal(shiftsLiability("mastercard", "A", "01"), true);
  assert.equal(shiftsLiability("mastercard", "Y", "05"), false);
  assert.equal(shiftsLiability("visa", "N", "05"), false);
});

test("every currency has a unique numeric code, and an unknown country has none", () => {
  assert.equal(new Set(currencies.map(currencyNumber)).size, currencies.length);
  assert.deepEqual(
    [currencyNumber("usd"), currencyNumber("jpy"), countryNumber("DE"), countryNumber("XX")],
    ["840", "392", "276", null],
  );
});
