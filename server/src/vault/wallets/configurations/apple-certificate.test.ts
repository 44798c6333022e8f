import assert from "node:assert/strict";
import { createECDH, createPublicKey, X509Certificate } from "node:crypto";
import { test } from "node:test";
import type { WalletKeyPurpose } from "@florin/contract/operator-wallets.ts";
import {
  certifyKey,
  createAuthority,
  type MerchantCertificate,
  readCertificateRequest,
} from "../../../../test/wallet-certificates.ts";
import { readAppleCertificate } from "./apple-certificate.ts";
import { certificateRequest } from "./certificate-request.ts";
import { generateWalletKey, pointOf, takeScalar } from "./wallet-key-secrets.ts";

const now = new Date("2026-05-01T12:00:00Z");
const day = 24 * 60 * 60_000;
const merchantId = "merchant.com.example";
const issuer = createAuthority("Simulated certificate authority");
const purposes = ["payment_processing", "merchant_identity"] as const;
const keys = {
  payment_processing: await generateWalletKey("payment_processing"),
  merchant_identity: await generateWalletKey("merchant_identity"),
};
const other = await generateWalletKey("payment_processing");

function certificate(purpose: WalletKeyPurpose, options: Partial<MerchantCertificate> = {}) {
  const spki = keys[purpose].publicKey;
  const publicKey = createPublicKey({ key: spki, format: "der", type: "spki" });
  return certifyKey(publicKey, { issuer, merchantId, purpose, ...options });
}

const read = (purpose: WalletKeyPurpose, text: string, publicKey = keys[purpose].publicKey) =>
  readAppleCertificate(text, { purpose, publicKey }, merchantId, now);

for (const purpose of purposes) {
  test(`the certificate of a ${purpose} key is accepted in DER and in PEM`, () => {
    const der = certificate(purpose);
    const expected = { kind: "certificate", der, expiresAt: new Date("2049-12-31T00:00:00Z") };
    assert.deepEqual(read(purpose, der.toString("base64")), expected);
    assert.deepEqual(read(purpose, `\n${new X509Certificate(der).toString()}`), expected);
  });

  test(`the certificate request of a ${purpose} key is signed with the key`, () => {
    const pem = certificateRequest(keys[purpose], purpose, "wk_1");
    const publicKey = readCertificateRequest(pem);
    assert.ok(publicKey.export({ format: "der", type: "spki" }).equals(keys[purpose].publicKey));
  });

  for (const [problem, options, expected] of [
    ["of another merchant", { merchantId: "merchant.com.other" }, /not for the merchant/],
    ["that has expired", { validTo: now }, /has expired/],
    ["that is not valid yet", { validFrom: new Date(now.getTime() + day) }, /not valid yet/],
    ["of a certificate authority", { isAuthority: true }, /certificate authority/],
  ] as const) {
    test(`a ${purpose} certificate ${problem} is rejected`, () => {
      const result = read(purpose, certificate(purpose, options).toString("base64"));
      assert(result.kind === "problem");
      assert.match(result.problem, expected);
    });
  }
}

test("a certificate for another key is rejected", () => {
  const der = certificate("payment_processing").toString("base64");
  const result = read("payment_processing", der, other.publicKey);
  assert(result.kind === "problem");
  assert.match(result.problem, /another key/);
});

test("a payment processing certificate needs Apple's extension, which the identity certificate may lack", () => {
  const der = certificate("payment_processing", { purpose: "merchant_identity" });
  assert.equal(read("payment_processing", der.toString("base64")).kind, "problem");
});

test("malformed certificates are rejected", () => {
  const der = certificate("payment_processing");
  const texts = ["", "x", "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----"];
  for (const text of [...texts, der.subarray(0, -1).toString("base64")]) {
    assert.equal(read("payment_processing", text).kind, "problem", text);
  }
});

test("the scalar is taken out of a generated key, which is overwritten", async () => {
  const { privateKey, publicKey } = await generateWalletKey("payment_processing");
  const copy = Buffer.from(privateKey);
  const scalar = takeScalar(privateKey);
  assert.ok(privateKey.every((byte) => byte === 0));
  assert.equal(scalar.length, 32);
  assert.ok(copy.includes(scalar));
  const ecdh = createECDH("prime256v1");
  ecdh.setPrivateKey(scalar);
  assert.ok(ecdh.getPublicKey().equals(pointOf(publicKey)));
  assert.throws(() => takeScalar(Buffer.from(keys.merchant_identity.privateKey)), /P-256/);
});
