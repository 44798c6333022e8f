import assert from "node:assert/strict";
import { createECDH, createPrivateKey, X509Certificate } from "node:crypto";
import { test } from "node:test";
import {
  authorityConstraint,
  certificateOf,
  createAppleCertificates,
  createRootCertificate,
  marker,
} from "@florin/simulator/wallet/apple-certificates.ts";
import { encryptAppleToken } from "@florin/simulator/wallet/encrypt-apple-token.ts";
import fc from "fast-check";
import { dose, seed } from "../../../../test/test-size.ts";
import type { DecryptedToken } from "../wallet-token.ts";
import {
  appleRecipient,
  appleRoot,
  appleToken,
  appleTokenSignedAt,
} from "./apple-token.fixture.ts";
import { decryptToken } from "./decrypt-token.ts";
import { oids } from "./object-identifiers.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const now = new Date("2026-05-01T12:00:00Z");
const after = (time: Date, ms: number) => new Date(time.getTime() + ms);

function keyPair() {
  const ecdh = createECDH("prime256v1");
  ecdh.generateKeys();
  return { privateKey: ecdh.getPrivateKey(), publicKey: ecdh.getPublicKey() };
}

/** Returns a root certificate with its key, and certificates that it has issued for the given time. */
function authority(validFrom = after(now, -day), validTo = after(now, day)) {
  const { privateKey, publicKey } = keyPair();
  const key = createPrivateKey({
    format: "jwk",
    key: {
      ...{ kty: "EC", crv: "P-256", d: privateKey.toString("base64url") },
      x: publicKey.subarray(1, 33).toString("base64url"),
      y: publicKey.subarray(33).toString("base64url"),
    },
  });
  return {
    rootKey: key,
    root: new X509Certificate(createRootCertificate(key)),
    certificates: createAppleCertificates(key, validFrom, validTo),
  };
}

const { root, rootKey, certificates } = authority();
const merchant = keyPair();
const recipient = { id: "merchant.example", privateKeys: [merchant.privateKey] };
const sender = { id: recipient.id, publicKey: merchant.publicKey };

const contents = {
  applicationPrimaryAccountNumber: "4895370012003478",
  applicationExpirationDate: "291231",
  currencyCode: "840",
  transactionAmount: 1999,
  deviceManufacturerIdentifier: "040010030273",
  paymentDataType: "3DSecure",
  paymentData: { onlinePaymentCryptogram: "Af9x/QwAA/DjmU65oyc1MAABAAA=", eciIndicator: "5" },
};
const token = encryptAppleToken(contents, certificates, sender, now);

function reasonOf(decrypted: DecryptedToken): string {
  return decrypted.kind === "rejected" ? decrypted.reason : decrypted.kind;
}

const decrypt = (text: string, at = now) => decryptToken(text, root, recipient, at);

/** Returns the token with changed members, and optionally with changed members of its header. */
function altered(changes: object, header: object = {}): string {
  const whole = JSON.parse(token);
  return JSON.stringify({ ...whole, ...changes, header: { ...whole.header, ...header } });
}

/** Returns a signed token whose contents differ from `contents`. */
function encrypted(changes: object): string {
  return encryptAppleToken({ ...contents, ...changes }, certificates, sender, now);
}

test("a token of an Apple device is verified up to Apple's root certificate and decrypted", () => {
  const at = after(appleTokenSignedAt, minute);
  const decrypted = decryptToken(appleToken, appleRoot, appleRecipient, at);
  assert(decrypted.kind === "decrypted" && decrypted.credential.kind === "network_token");
  const { number, expMonth, expYear, cryptogram, eci } = decrypted.credential;
  assert.deepEqual(
    [number.reveal(), expMonth, expYear, cryptogram.reveal(), eci],
    ["5353756319181169", 9, 2024, "AMwBRjPWDnAgAA7Rls7mAoABFA==", null],
  );
  assert.deepEqual(decrypted.approved, { amountMinor: 100, currencyNumber: "840" });
  const transaction = "f7f133694685bab2f44ae3a7b54e2c0d0d39a3bc73fa2e6b14a2baf628d6ce87";
  assert.equal(decrypted.tokenId, `EC_v1 ${transaction}`);
  assert.deepEqual(decrypted.expiresAt, after(appleTokenSignedAt, 10 * minute));
});

test("the Apple device's token is rejected with another root, another merchant, another key and at another time", () => {
  const at = after(appleTokenSignedAt, minute);
  const reason = (to = appleRecipient, from = appleRoot, time = at) =>
    reasonOf(decryptToken(appleToken, from, to, time));
  assert.equal(reason(), "decrypted");
  assert.equal(reason(appleRecipient, root), "untrusted_signing_key");
  assert.equal(reason({ ...appleRecipient, id: "merchant.other" }), "unknown_recipient_key");
  assert.equal(reason({ ...appleRecipient, privateKeys: [] }), "unknown_recipient_key");
  const others = { ...appleRecipient, privateKeys: [merchant.privateKey] };
  assert.equal(reason(others), "unknown_recipient_key");
  const both = [merchant.privateKey, ...appleRecipient.privateKeys];
  assert.equal(reason({ ...appleRecipient, privateKeys: both }), "decrypted");
  const expiry = after(appleTokenSignedAt, 10 * minute);
  assert.equal(reason(appleRecipient, appleRoot, expiry), "expired");
  assert.equal(
    reason(appleRecipient, appleRoot, after(appleTokenSignedAt, -3 * minute)),
    "expired",
  );
  assert.equal(reason(appleRecipient, appleRoot, new Date("2024-06-01")), "expired_signing_key");
});

test("an altered part of the Apple device's token is rejected", () => {
  const at = after(appleTokenSignedAt, minute);
  const whole = JSON.parse(appleToken);
  const reason = (changes: object, header: object = {}) => {
    const text = JSON.stringify({ ...whole, ...changes, header: { ...whole.header, ...header } });
    return reasonOf(decryptToken(text, appleRoot, appleRecipient, at));
  };
  assert.equal(reason({ data: flipped(whole.data) }), "invalid_signature");
  const key = whole.header.ephemeralPublicKey;
  assert.equal(reason({}, { ephemeralPublicKey: flipped(key) }), "invalid_signature");
  assert.equal(reason({}, { transactionId: "0".repeat(64) }), "invalid_signature");
  assert.equal(reason({}, { applicationData: "0".repeat(64) }), "invalid_signature");
  // The signature does not cover the hash, which only selects the key.
  const hash = flipped(whole.header.publicKeyHash);
  assert.equal(reason({}, { publicKeyHash: hash }), "unknown_recipient_key");
});

function flipped(base64: string): string {
  const bytes = Buffer.from(base64, "base64");
  bytes[40 % bytes.length] = (bytes[40 % bytes.length] as number) ^ 1;
  return bytes.toString("base64");
}

test("a token contains the number, the cryptogram and the amount, and prints no card data", () => {
  const decrypted = decrypt(token);
  assert(decrypted.kind === "decrypted" && decrypted.credential.kind === "network_token");
  const { number, expMonth, expYear, cryptogram, eci } = decrypted.credential;
  assert.deepEqual(
    [number.reveal(), expMonth, expYear, cryptogram.reveal(), eci],
    ["4895370012003478", 12, 2029, contents.paymentData.onlinePaymentCryptogram, "05"],
  );
  assert.deepEqual(decrypted.approved, { amountMinor: 1999, currencyNumber: "840" });
  assert.doesNotMatch(JSON.stringify(decrypted), /489537|Af9x/);
});

const other = authority();
const nested = Buffer.concat(Array(3_000).fill(Buffer.from([0x30, 0x80]))).toString("base64");

for (const [what, text, reason] of [
  ["no JSON", "token", "malformed"],
  ["an empty object", "{}", "malformed"],
  ["more than 10,000 characters", altered({ data: "A".repeat(12_000) }), "malformed"],
  ["an additional member", altered({ extra: 1 }), "malformed"],
  ["an additional member in its header", altered({}, { extra: 1 }), "malformed"],
  ["version RSA_v1", altered({ version: "RSA_v1" }), "unsupported_version"],
  ["a transaction ID that is not hex", altered({}, { transactionId: "x" }), "malformed"],
  ["a signature that is not CMS", altered({ signature: "AAAA" }), "malformed"],
  ["a deeply nested signature", altered({ signature: nested }), "malformed"],
  [
    "certificates of another root",
    encryptAppleToken(contents, other.certificates, sender, now),
    "untrusted_signing_key",
  ],
  [
    "a signer whose issuer is another certificate",
    encryptAppleToken(contents, { ...certificates, leaf: other.certificates.leaf }, sender, now),
    "untrusted_signing_key",
  ],
  [
    "only the certificate of the issuer",
    encryptAppleToken(contents, { ...certificates, leaf: certificates.intermediate }, sender, now),
    "untrusted_signing_key",
  ],
  [
    "the signature of another key",
    encryptAppleToken(
      contents,
      {
        ...certificates,
        leaf: { ...certificates.leaf, key: other.certificates.leaf.key },
      },
      sender,
      now,
    ),
    "invalid_signature",
  ],
  [
    "another merchant identifier",
    encryptAppleToken(contents, certificates, { ...sender, id: "merchant.other" }, now),
    "unknown_recipient_key",
  ],
  [
    "another merchant's key",
    encryptAppleToken(contents, certificates, { ...sender, publicKey: keyPair().publicKey }, now),
    "unknown_recipient_key",
  ],
  ["no amount", encrypted({ transactionAmount: undefined }), "invalid_contents"],
  ["no currency", encrypted({ currencyCode: undefined }), "invalid_contents"],
  ["no cryptogram", encrypted({ paymentData: {} }), "invalid_contents"],
  ["EMV data", encrypted({ paymentDataType: "EMV" }), "invalid_contents"],
  ["an invalid number", encrypted({ applicationPrimaryAccountNumber: "4895" }), "invalid_contents"],
  ["an invalid expiry date", encrypted({ applicationExpirationDate: "12/29" }), "invalid_contents"],
] as const) {
  test(`a token with ${what} is rejected: ${reason}`, () => {
    assert.equal(reasonOf(decrypt(text)), reason);
  });
}

test("a certificate that its issuer does not name, or whose issuer is not a certificate authority, is rejected", () => {
  const { key } = certificates.intermediate;
  const validity = { validFrom: after(now, -day), validTo: after(now, day) };
  const issuedBy = (
    issuerName: string,
    extensions: Parameters<typeof certificateOf>[0]["extensions"],
  ) =>
    certificateOf({
      subject: { name: "Simulated Wallet Integration CA", key },
      issuer: { name: issuerName, key: rootKey },
      ...validity,
      extensions: [marker(oids.intermediateMarker), ...extensions],
    });
  const reasonWith = (certificate: Buffer) => {
    const its = { ...certificates, intermediate: { key, certificate } };
    return reasonOf(decrypt(encryptAppleToken(contents, its, sender, now)));
  };
  const name = "Simulated Wallet Root CA";
  assert.equal(reasonWith(issuedBy(name, [authorityConstraint()])), "decrypted");
  assert.equal(reasonWith(issuedBy(name, [])), "untrusted_signing_key");
  assert.equal(
    reasonWith(issuedBy("Another CA", [authorityConstraint()])),
    "untrusted_signing_key",
  );
});

test("a token is accepted for ten minutes, and up to two minutes before its time of signature", () => {
  assert.equal(reasonOf(decrypt(token, after(now, 10 * minute - 1))), "decrypted");
  assert.equal(reasonOf(decrypt(token, after(now, 10 * minute))), "expired");
  assert.equal(reasonOf(decrypt(token, after(now, -2 * minute))), "decrypted");
  assert.equal(reasonOf(decrypt(token, after(now, -2 * minute - 1))), "expired");
});

test("expired certificates and certificates that are not valid yet are rejected", () => {
  for (const [from, to] of [
    [after(now, -2 * day), after(now, -day)],
    [after(now, day), after(now, 2 * day)],
  ] as const) {
    const { root: itsRoot, certificates: its } = authority(from, to);
    const text = encryptAppleToken(contents, its, sender, now);
    assert.equal(reasonOf(decryptToken(text, itsRoot, recipient, now)), "expired_signing_key");
  }
});

test("a token with any altered character is rejected, or has the same contents", () => {
  // Some bytes of the CMS structure, such as its version numbers, have no effect. The signature does not cover them.
  const expected = JSON.stringify(decrypt(token));
  const signed = token.indexOf('"signature"');
  const signedEnd = token.indexOf('"header"');
  const positions = fc.nat({ max: token.length - 1 });
  const characters = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code));
  fc.assert(
    fc.property(positions, characters, (at, character) => {
      fc.pre(token[at] !== character);
      const decrypted = decrypt(token.slice(0, at) + character + token.slice(at + 1));
      if (decrypted.kind === "rejected") return;
      assert.ok(at > signed && at < signedEnd, `${at}: ${character}`);
      assert.equal(JSON.stringify(decrypted), expected);
    }),
    { numRuns: dose("alterations", { short: 300, long: 20_000 }), seed },
  );
});
