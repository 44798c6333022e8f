import assert from "node:assert/strict";
import { sign } from "node:crypto";
import { test } from "node:test";
import { createSigningKey, encryptToken } from "@florin/simulator/wallet/encrypt-token.ts";
import fc from "fast-check";
import { dose, seed } from "../../../../test/test-size.ts";
import type { DecryptedToken } from "../wallet-token.ts";
import { decryptToken } from "./decrypt-token.ts";
import {
  googleTestRecipient,
  googleTestRootKeys,
  scalarOf,
  tink,
  tokenOf2023,
  tokenOf2024,
} from "./google-tokens.fixture.ts";
import { readRootKeys } from "./root-keys.ts";
import { signedBytes } from "./verify-token.ts";

const now = new Date("2026-05-01T12:00:00Z");
const hour = 60 * 60_000;
const inAnHour = new Date(now.getTime() + hour);
const anHourAgo = new Date(now.getTime() - hour);

const rootKeysOf = (keyValue: string, expiresAt: Date) =>
  readRootKeys(
    JSON.stringify({
      keys: [{ keyValue, protocolVersion: "ECv2", keyExpiration: String(expiresAt.getTime()) }],
    }),
  );
const rootKeys = rootKeysOf(tink.rootPublicKey, inAnHour);
const merchant = { id: tink.recipientId, privateKeys: [scalarOf(tink.merchantKey)] };
const sender = { id: tink.recipientId, publicKey: tink.merchantPoint };
const signingKey = createSigningKey(tink.rootKey, inAnHour);

const details = {
  authMethod: "CRYPTOGRAM_3DS",
  pan: "4895370012003478",
  expirationMonth: 12,
  expirationYear: 2029,
  cryptogram: "AgAAAAAABk4DWZ4C28yUQAAAAAA=",
  eciIndicator: "05",
};
const message = {
  messageId: "message-1",
  messageExpiration: String(inAnHour.getTime()),
  paymentMethod: "CARD",
  paymentMethodDetails: details,
};
const token = encryptToken(message, signingKey, sender);

function open(
  text: string,
  changes: { keys?: typeof rootKeys; to?: typeof merchant; at?: Date } = {},
) {
  return decryptToken(text, changes.keys ?? rootKeys, changes.to ?? merchant, changes.at ?? now);
}

function reasonOf(decrypted: DecryptedToken): string {
  return decrypted.kind === "rejected" ? decrypted.reason : decrypted.kind;
}

/** Returns the token with changed members. */
function altered(changes: object): string {
  return JSON.stringify({ ...JSON.parse(token), ...changes });
}

/** Returns a signed token whose contents differ from `message`. */
function encrypted(changes: object): string {
  return encryptToken({ ...message, ...changes }, signingKey, sender);
}

for (const [name, { token: text, privateKey }, at, expected] of [
  ["2024", tokenOf2024, "2024-02-20", { number: "4111111111111111", expMonth: 12, expYear: 2026 }],
  ["2023", tokenOf2023, "2023-03-05", { number: "5555555555554444", expMonth: 12, expYear: 2028 }],
] as const) {
  test(`a token of Google's test environment of ${name} is verified up to Google's root key and decrypted`, () => {
    const keys = readRootKeys(googleTestRootKeys);
    const recipient = { id: googleTestRecipient, privateKeys: [privateKey] };
    const decrypted = decryptToken(text, keys, recipient, new Date(at));
    assert(decrypted.kind === "decrypted");
    const { credential } = decrypted;
    assert(credential.kind === "card");
    const { number, expMonth, expYear } = credential;
    assert.deepEqual({ number: number.reveal(), expMonth, expYear }, expected);
    assert.match(decrypted.tokenId, /^ECv2 AH2Ejt/);
    const later = new Date(decrypted.expiresAt.getTime());
    assert.equal(reasonOf(decryptToken(text, keys, recipient, later)), "expired");
    const other = { id: "merchant:1", privateKeys: [privateKey] };
    assert.equal(reasonOf(decryptToken(text, keys, other, new Date(at))), "invalid_signature");
    assert.equal(
      reasonOf(decryptToken(text, rootKeys, recipient, new Date(at))),
      "untrusted_signing_key",
    );
  });
}

test("while a merchant replaces its key, tokens for the old and for the new key are decrypted", () => {
  const keys = readRootKeys(googleTestRootKeys);
  const both = [tokenOf2023.privateKey, tokenOf2024.privateKey];
  const recipient = { id: googleTestRecipient, privateKeys: both };
  assert.equal(
    decryptToken(tokenOf2024.token, keys, recipient, new Date("2024-02-20")).kind,
    "decrypted",
  );
  assert.equal(
    decryptToken(tokenOf2023.token, keys, recipient, new Date("2023-03-05")).kind,
    "decrypted",
  );
});

test("a network token contains the number, the cryptogram and the ECI, and prints none of them", () => {
  const decrypted = open(token);
  assert(decrypted.kind === "decrypted" && decrypted.credential.kind === "network_token");
  const { number, expMonth, expYear, cryptogram, eci } = decrypted.credential;
  assert.deepEqual(
    [number.reveal(), expMonth, expYear, cryptogram.reveal(), eci],
    ["4895370012003478", 12, 2029, "AgAAAAAABk4DWZ4C28yUQAAAAAA=", "05"],
  );
  assert.deepEqual([decrypted.tokenId, decrypted.expiresAt], ["ECv2 message-1", inAnHour]);
  assert.doesNotMatch(JSON.stringify(decrypted), /489537|AgAAAA/);
});

test("an ECI with one digit gets a leading zero, and a token can lack the ECI", () => {
  const eciOf = (eciIndicator: unknown) => {
    const decrypted = open(encrypted({ paymentMethodDetails: { ...details, eciIndicator } }));
    assert(decrypted.kind === "decrypted" && decrypted.credential.kind === "network_token");
    return decrypted.credential.eci;
  };
  assert.deepEqual(
    [eciOf("7"), eciOf("02"), eciOf(undefined), eciOf("")],
    ["07", "02", null, null],
  );
});

const signedMessage = JSON.parse(JSON.parse(token).signedMessage);
const flipped = (base64: string) => {
  const bytes = Buffer.from(base64, "base64");
  bytes[0] = (bytes[0] as number) ^ 1;
  return bytes.toString("base64");
};

for (const [what, text, reason] of [
  ["no JSON", "token", "malformed"],
  ["an empty object", "{}", "malformed"],
  ["more than 10,000 characters", altered({ signature: "A".repeat(12_000) }), "malformed"],
  ["an additional member", altered({ extra: 1 }), "malformed"],
  ["protocol version ECv1", tink.olderToken, "unsupported_version"],
  [
    "another protocol version",
    altered({ protocolVersion: "ECv2SigningOnly" }),
    "unsupported_version",
  ],
  [
    "no signature of the signing key",
    altered({ intermediateSigningKey: { signedKey: signingKey.signedKey, signatures: [] } }),
    "malformed",
  ],
  ["a signature that is not DER", altered({ signature: "AAAA" }), "invalid_signature"],
  [
    "an altered MAC",
    altered({
      signedMessage: JSON.stringify({ ...signedMessage, tag: flipped(signedMessage.tag) }),
    }),
    "invalid_signature",
  ],
  [
    "a signing key with another expiry",
    altered({
      intermediateSigningKey: {
        signedKey: signingKey.signedKey.replace(/"\d{13}"/, '"4102444800000"'),
        signatures: signingKey.signatures,
      },
    }),
    "untrusted_signing_key",
  ],
  [
    "an expired signing key",
    encryptToken(message, createSigningKey(tink.rootKey, now), sender),
    "expired_signing_key",
  ],
  [
    "a signing key of another root key",
    encryptToken(message, createSigningKey(tink.merchantKey, inAnHour), sender),
    "untrusted_signing_key",
  ],
  [
    "another recipient",
    encryptToken(message, signingKey, { ...sender, id: "anotherRecipient" }),
    "invalid_signature",
  ],
  ["an expiry that is now", encrypted({ messageExpiration: String(now.getTime()) }), "expired"],
  [
    "an expiry in 31 days",
    encrypted({ messageExpiration: String(now.getTime() + 31 * 24 * hour) }),
    "invalid_contents",
  ],
  ["no expiry", encrypted({ messageExpiration: undefined }), "invalid_contents"],
  ["no message ID", encrypted({ messageId: "" }), "invalid_contents"],
  ["another payment method", encrypted({ paymentMethod: "TOKENIZED_CARD" }), "invalid_contents"],
  [
    "an invalid card number",
    encrypted({ paymentMethodDetails: { ...details, pan: "4895-3700" } }),
    "invalid_contents",
  ],
  [
    "no cryptogram",
    encrypted({ paymentMethodDetails: { ...details, cryptogram: undefined } }),
    "invalid_contents",
  ],
  ["no card", encrypted({ paymentMethodDetails: null }), "invalid_contents"],
] as const) {
  test(`a token with ${what} is rejected: ${reason}`, () => {
    assert.equal(reasonOf(open(text)), reason);
  });
}

/** Returns a correctly signed token with the given message. */
function resigned(text: string): string {
  const signature = sign(
    "sha256",
    signedBytes("Google", tink.recipientId, "ECv2", text),
    signingKey.key,
  );
  return altered({ signedMessage: text, signature: signature.toString("base64") });
}

test("a correctly signed message with an altered MAC or point is rejected", () => {
  // Google would never sign such a message. The MAC is checked nevertheless, as the specification requires.
  const reasonWith = (changes: object) => {
    const text = JSON.stringify({ ...signedMessage, ...changes });
    return reasonOf(open(resigned(text)));
  };
  assert.equal(reasonWith({}), "decrypted");
  assert.equal(reasonWith({ tag: flipped(signedMessage.tag) }), "unknown_recipient_key");
  assert.equal(
    reasonWith({ encryptedMessage: flipped(signedMessage.encryptedMessage) }),
    "unknown_recipient_key",
  );
  // The first byte of a point is its format.
  assert.equal(
    reasonWith({ ephemeralPublicKey: flipped(signedMessage.ephemeralPublicKey) }),
    "malformed",
  );
  const offCurve = Buffer.alloc(65, 1);
  offCurve[0] = 4;
  assert.equal(reasonWith({ ephemeralPublicKey: offCurve.toString("base64") }), "malformed");
  assert.equal(reasonWith({ tag: "AAAA" }), "malformed");
});

test("a token for a key that the merchant does not have is rejected", () => {
  const to = { id: tink.recipientId, privateKeys: [scalarOf(tink.alternateMerchantKey)] };
  assert.equal(reasonOf(open(token, { to })), "unknown_recipient_key");
  const both = { ...to, privateKeys: [...to.privateKeys, ...merchant.privateKeys] };
  assert.equal(reasonOf(open(token, { to: both })), "decrypted");
});

test("all root keys that have not expired are tried", () => {
  const other = rootKeysOf(tink.alternateRootPublicKey, inAnHour);
  const expired = rootKeysOf(tink.rootPublicKey, anHourAgo);
  assert.equal(reasonOf(open(token, { keys: [...other, ...rootKeys] })), "decrypted");
  assert.equal(reasonOf(open(token, { keys: other })), "untrusted_signing_key");
  assert.equal(reasonOf(open(token, { keys: expired })), "untrusted_signing_key");
  assert.equal(reasonOf(open(token, { keys: [] })), "untrusted_signing_key");
});

test("root keys without an expiry and invalid root keys are not accepted", () => {
  const read = (key: object) => () => readRootKeys(JSON.stringify({ keys: [key] }));
  const key = { keyValue: tink.rootPublicKey, protocolVersion: "ECv2" };
  assert.throws(read(key), /INVALID_KEY/);
  assert.throws(read({ ...key, keyValue: "AAAA", keyExpiration: "4102444800000" }), /INVALID_KEY/);
  assert.throws(() => readRootKeys("no JSON"), /UNREADABLE_KEYS/);
  assert.deepEqual(
    readRootKeys(JSON.stringify({ keys: [{ ...key, protocolVersion: "ECv1" }] })),
    [],
  );
});

test("a token with any altered character is rejected", () => {
  const positions = fc.nat({ max: token.length - 1 });
  const characters = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code));
  fc.assert(
    fc.property(positions, characters, (at, character) => {
      fc.pre(token[at] !== character);
      const text = token.slice(0, at) + character + token.slice(at + 1);
      assert.equal(open(text).kind, "rejected");
    }),
    { numRuns: dose("alterations", { short: 300, long: 20_000 }), seed },
  );
});

test("a truncated, repeated or arbitrary text is rejected", () => {
  fc.assert(
    fc.property(fc.nat({ max: token.length - 1 }), fc.string(), (length, rest) => {
      // JSON allows white space after the token.
      const text = token.slice(0, length) + rest;
      fc.pre(text.trim() !== token);
      assert.equal(open(text).kind, "rejected");
      assert.equal(open(rest).kind, "rejected");
      fc.pre(rest.trim() !== "");
      assert.equal(open(token + rest).kind, "rejected");
    }),
    { numRuns: dose("texts", { short: 200, long: 5_000 }), seed },
  );
});
