import assert from "node:assert/strict";
import {
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  verify,
  X509Certificate,
} from "node:crypto";
import type { WalletKeyPurpose } from "@florin/contract/operator-wallets.ts";
import {
  authorityConstraint,
  certificateOf,
  encode,
  sequence,
} from "@florin/simulator/wallet/apple-certificates.ts";
import { BitString, ObjectIdentifier, OctetString, Primitive, Utf8String } from "asn1js";
import { oids } from "../src/vault/wallets/apple-pay/object-identifiers.ts";
import { bytesOf, childrenOf, decode } from "../src/vault/wallets/asn1-blocks.ts";

/** A time span that contains the real time and the time of every test clock. */
const always = {
  validFrom: new Date("2020-01-01T00:00:00Z"),
  validTo: new Date("2049-12-31T00:00:00Z"),
};

export function newEcKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey;
}

export type TestAuthority = {
  readonly name: string;
  readonly key: KeyObject;
  readonly pem: string;
};

/** Creates a certificate authority. */
export function createAuthority(name: string): TestAuthority {
  const key = newEcKey();
  const named = { name, key };
  const extensions = [authorityConstraint()];
  const der = certificateOf({ subject: named, issuer: named, ...always, extensions });
  return { ...named, pem: new X509Certificate(der).toString() };
}

/** Issues the certificate of a server that is valid for the host names. */
export function issueServerCertificate(issuer: TestAuthority, names: readonly string[]) {
  const key = newEcKey();
  const dnsName = 2;
  const alternatives = names.map(
    (name) =>
      new Primitive({
        idBlock: { tagClass: 3, tagNumber: dnsName },
        valueHex: Buffer.from(name),
      }),
  );
  const extension = sequence(
    new ObjectIdentifier({ value: "2.5.29.17" }),
    new OctetString({ valueHex: encode(sequence(...alternatives)) }),
  );
  const subject = { name: names[0] as string, key };
  const der = certificateOf({ subject, issuer, ...always, extensions: [extension] });
  return {
    certificate: new X509Certificate(der).toString(),
    key: key.export({ format: "pem", type: "pkcs8" }).toString(),
  };
}

export type MerchantCertificate = {
  readonly issuer: TestAuthority;
  readonly merchantId: string;
  readonly purpose: WalletKeyPurpose;
  readonly validFrom?: Date;
  readonly validTo?: Date;
  readonly isAuthority?: boolean;
};

/** Issues the certificate of a merchant for the key of a certificate request, as Apple does. */
export function issueMerchantCertificate(request: string, options: MerchantCertificate): Buffer {
  return certifyKey(readCertificateRequest(request), options);
}

/** Issues the certificate of a merchant for a public key. */
export function certifyKey(
  publicKey: KeyObject,
  {
    issuer,
    merchantId,
    purpose,
    validFrom = always.validFrom,
    validTo = always.validTo,
    isAuthority,
  }: MerchantCertificate,
): Buffer {
  const text = new Utf8String({ value: hash("sha256", merchantId).toUpperCase() });
  const extension = sequence(
    new ObjectIdentifier({ value: oids.merchantIdHash }),
    new OctetString({ valueHex: encode(text) }),
  );
  return certificateOf({
    subject: {
      name: `Apple Pay ${purpose}:${merchantId}`,
      key: publicKey,
      // Apple sets this ID in both kinds of certificates. The service reads it only in certificates for mutual TLS.
      userId: merchantId,
    },
    issuer,
    validFrom,
    validTo,
    extensions: [
      ...(purpose === "payment_processing" ? [extension] : []),
      ...(isAuthority ? [authorityConstraint()] : []),
    ],
  });
}

/** Verifies the signature of a certificate request in PEM, and returns the public key of the request. */
export function readCertificateRequest(pem: string): KeyObject {
  const base64 = pem.replaceAll(/-----[A-Z ]+-----|\s/g, "");
  const [info, , signature] = childrenOf(decode(Buffer.from(base64, "base64")));
  const [, , publicKeyInfo] = childrenOf(info);
  const publicKey = createPublicKey({ key: bytesOf(publicKeyInfo), format: "der", type: "spki" });
  assert(signature instanceof BitString);
  const signed = Buffer.from(signature.valueBlock.valueHexView);
  assert.ok(verify("sha256", bytesOf(info), publicKey, signed), "the signature is not valid");
  return publicKey;
}
