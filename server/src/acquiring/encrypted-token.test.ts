import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { appleToken } from "../vault/wallets/apple-pay/apple-token.fixture.ts";
import { invalidTokens } from "./certify-payments.ts";
import { readEncryptedToken } from "./encrypted-token.ts";

type Fields = Record<string, unknown>;

const base64 = (length: number) => randomBytes(length).toString("base64");

function googleToken(): Fields {
  return {
    protocolVersion: "ECv2",
    signature: base64(71),
    intermediateSigningKey: {
      signedKey: JSON.stringify({ keyValue: base64(91), keyExpiration: "2145916800000" }),
      signatures: [base64(71)],
    },
    signedMessage: JSON.stringify({
      encryptedMessage: base64(256),
      ephemeralPublicKey: base64(65),
      tag: base64(32),
    }),
  };
}

function applePayToken(): Fields {
  return {
    version: "EC_v1",
    data: base64(256),
    signature: base64(1_200),
    header: {
      ephemeralPublicKey: base64(91),
      publicKeyHash: base64(32),
      transactionId: randomBytes(32).toString("hex"),
    },
  };
}

const google = googleToken();
const apple = applePayToken();
const { intermediateSigningKey, ...older } = google;
const ecV1 = { ...older, protocolVersion: "ECv1" };
const header = apple.header as Fields;
const message = JSON.parse(google.signedMessage as string) as Fields;
const signing = intermediateSigningKey as Fields;
const signedKey = JSON.parse(signing.signedKey as string) as Fields;

const withMessage = (change: Fields) => ({
  ...google,
  signedMessage: JSON.stringify({ ...message, ...change }),
});
const withKey = (change: Fields) => ({
  ...google,
  intermediateSigningKey: { ...signing, ...change },
});
const withHeader = (change: Fields) => ({ ...apple, header: { ...header, ...change } });
const nested = (depth: number) => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`) as unknown;

test("the tokens of both wallets are sent with exactly the documented members", () => {
  const applicationData = "00".repeat(32);
  for (const [wallet, token] of [
    ["google_pay", google],
    ["google_pay", ecV1],
    ["apple_pay", apple],
    ["apple_pay", withHeader({ applicationData })],
  ] as const) {
    const read = readEncryptedToken(wallet, JSON.stringify(token));
    assert.deepEqual(JSON.parse(read?.text ?? ""), token);
  }
  for (const [wallet, token] of [
    ["apple_pay", appleToken],
    ["apple_pay", invalidTokens.apple_pay],
    ["google_pay", invalidTokens.google_pay],
  ] as const) {
    assert.deepEqual(JSON.parse(readEncryptedToken(wallet, token)?.text ?? ""), JSON.parse(token));
  }
});

test("a copy of a token that the acquirer could decrypt has the same identity", () => {
  const idOf = (wallet: "google_pay" | "apple_pay", token: Fields) =>
    readEncryptedToken(wallet, JSON.stringify(token, null, 2))?.id;
  const googleId = idOf("google_pay", google);
  const appleId = idOf("apple_pay", apple);
  assert.ok(googleId && appleId);
  for (const copy of [
    Object.fromEntries(Object.entries(google).reverse()),
    { ...google, signature: "MEUC" },
    { ...google, signedMessage: JSON.stringify(message, null, 1) },
    ecV1,
  ]) {
    assert.equal(idOf("google_pay", copy), googleId);
  }
  for (const copy of [
    Object.fromEntries(Object.entries(apple).reverse()),
    { ...apple, signature: "MEUC" },
    withHeader({ transactionId: "ab".repeat(32) }),
  ]) {
    assert.equal(idOf("apple_pay", copy), appleId);
  }
  assert.notEqual(idOf("google_pay", googleToken()), googleId);
  assert.notEqual(idOf("apple_pay", applePayToken()), appleId);
});

test("a token with an unknown, missing or malformed member is rejected", () => {
  const without = (token: Fields, name: string) => {
    const { [name]: _, ...rest } = token;
    return rest;
  };
  const long = "A".repeat(12_000);
  for (const [name, token] of [
    ["unknown member", { ...google, more: 1 }],
    ["nested unknown member", { ...google, more: nested(4_000) }],
    ["no signature", without(google, "signature")],
    ["signature that is not base64", { ...google, signature: "MEUC!" }],
    ["signature that is not canonical", { ...google, signature: "MEV=" }],
    ["empty signature", { ...google, signature: "" }],
    ["signature of another type", { ...google, signature: nested(4_000) }],
    ["version", { ...google, protocolVersion: "ECv3" }],
    ["ECv2 without a signing key", { ...ecV1, protocolVersion: "ECv2" }],
    ["ECv1 with a signing key", { ...google, protocolVersion: "ECv1" }],
    ["message that is an object", { ...google, signedMessage: message }],
    ["message that is not an object", { ...google, signedMessage: "[]" }],
    ["unknown member of the message", withMessage({ more: nested(3_000) })],
    ["empty message", withMessage({ encryptedMessage: "" })],
    ["message of another type", withMessage({ encryptedMessage: 1 })],
    ["short public key", withMessage({ ephemeralPublicKey: "AAAA" })],
    ["short tag", withMessage({ tag: "AAAA" })],
    ["signing key of another type", { ...google, intermediateSigningKey: [] }],
    ["unknown member of the signing key", withKey({ more: 1 })],
    ["signed key that is an object", withKey({ signedKey })],
    ["signed key with more", withKey({ signedKey: JSON.stringify({ ...signedKey, more: 1 }) })],
    [
      "expiry that is not text",
      withKey({ signedKey: JSON.stringify({ ...signedKey, keyExpiration: 1 }) }),
    ],
    ["no signature of the key", withKey({ signatures: [] })],
    ["many signatures of the key", withKey({ signatures: Array(5).fill("MEUC") })],
    ["signature of the key of another type", withKey({ signatures: [nested(3_000)] })],
    ["long message", withMessage({ encryptedMessage: long })],
  ] as const) {
    assert.equal(readEncryptedToken("google_pay", JSON.stringify(token)), null, name);
  }
  for (const [name, token] of [
    ["unknown member", { ...apple, more: 1 }],
    ["no header", without(apple, "header")],
    ["version RSA_v1", { ...apple, version: "RSA_v1" }],
    ["data that is not canonical", { ...apple, data: "MEV=" }],
    ["empty data", { ...apple, data: "" }],
    ["empty signature", { ...apple, signature: "" }],
    ["signature of another type", { ...apple, signature: nested(4_000) }],
    ["header of another type", { ...apple, header: [] }],
    ["unknown member of the header", withHeader({ more: nested(3_000) })],
    ["empty public key", withHeader({ ephemeralPublicKey: "" })],
    ["short hash", withHeader({ publicKeyHash: "AAAA" })],
    ["short transaction ID", withHeader({ transactionId: "00" })],
    ["application data of another type", withHeader({ applicationData: nested(3_000) })],
    ["long data", { ...apple, data: long }],
  ] as const) {
    assert.equal(readEncryptedToken("apple_pay", JSON.stringify(token)), null, name);
  }
  for (const text of ["", "null", "[]", "{", `${"[".repeat(9_000)}`]) {
    assert.equal(readEncryptedToken("google_pay", text), null);
    assert.equal(readEncryptedToken("apple_pay", text), null);
  }
  assert.equal(readEncryptedToken("google_pay", JSON.stringify(apple)), null);
  assert.equal(readEncryptedToken("apple_pay", JSON.stringify(google)), null);
});
