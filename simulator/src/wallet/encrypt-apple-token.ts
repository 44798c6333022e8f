import { createCipheriv, createECDH, hash, randomBytes, sign } from "node:crypto";
import {
  deriveKey,
  publicKeyHashOf,
  publicKeyPrefix,
  zeroVector,
} from "@florin/server/vault/wallets/apple-pay/decrypt-data.ts";
import { oids } from "@florin/server/vault/wallets/apple-pay/object-identifiers.ts";
import { signedMessage } from "@florin/server/vault/wallets/apple-pay/verify-signature.ts";
import {
  Set as AsnSet,
  type BaseBlock,
  fromBER,
  Integer,
  ObjectIdentifier,
  OctetString,
  UTCTime,
} from "asn1js";
import {
  type AppleCertificates,
  algorithm,
  encode,
  explicit,
  nameOf,
  sequence,
} from "./apple-certificates.ts";

/**
 * Encrypts contents to the recipient's public key and signs them, as a device does for an Apple Pay token of version
 * EC_v1. Throws if the public key is not a point of P-256.
 */
export function encryptAppleToken(
  contents: object,
  certificates: AppleCertificates,
  recipient: { readonly id: string; readonly publicKey: Buffer },
  signedAt: Date,
): string {
  const ephemeral = createECDH("prime256v1");
  const ephemeralPublicKey = Buffer.concat([publicKeyPrefix, ephemeral.generateKeys()]);
  const key = deriveKey(ephemeral.computeSecret(recipient.publicKey), recipient.id);
  const cipher = createCipheriv("aes-256-gcm", key, zeroVector);
  const encrypted = [cipher.update(JSON.stringify(contents)), cipher.final()];
  const data = Buffer.concat([...encrypted, cipher.getAuthTag()]);
  const transactionId = randomBytes(32);
  const applicationData = Buffer.alloc(0);
  const message = signedMessage({ ephemeralPublicKey, data, transactionId, applicationData });
  return JSON.stringify({
    version: "EC_v1",
    data: data.toString("base64"),
    signature: signatureOf(message, certificates, signedAt).toString("base64"),
    header: {
      ephemeralPublicKey: ephemeralPublicKey.toString("base64"),
      publicKeyHash: publicKeyHashOf(recipient.publicKey).toString("base64"),
      transactionId: transactionId.toString("hex"),
    },
  });
}

/** Returns a detached CMS signature (RFC 5652) with the certificates of the signer and of its issuer. */
function signatureOf(
  message: Buffer,
  { leaf, intermediate }: AppleCertificates,
  signedAt: Date,
): Buffer {
  const attributes = [
    attribute(oids.contentType, new ObjectIdentifier({ value: oids.data })),
    attribute(oids.signingTime, new UTCTime({ valueDate: signedAt })),
    attribute(oids.messageDigest, new OctetString({ valueHex: hash("sha256", message, "buffer") })),
  ];
  const signed = encode(new AsnSet({ value: attributes }));
  const signerInfo = sequence(
    new Integer({ value: 1 }),
    sequence(nameOf("Simulated Wallet Integration CA"), new Integer({ value: 1 })),
    algorithm(oids.sha256),
    explicit(0, ...attributes),
    algorithm(oids.ecdsaWithSha256),
    new OctetString({ valueHex: sign("sha256", signed, leaf.key) }),
  );
  const signedData = sequence(
    new Integer({ value: 1 }),
    new AsnSet({ value: [algorithm(oids.sha256)] }),
    algorithm(oids.data),
    explicit(0, ...[leaf, intermediate].map(({ certificate }) => fromBER(certificate).result)),
    new AsnSet({ value: [signerInfo] }),
  );
  return encode(
    sequence(new ObjectIdentifier({ value: oids.signedData }), explicit(0, signedData)),
  );
}

function attribute(oid: string, value: BaseBlock) {
  return sequence(new ObjectIdentifier({ value: oid }), new AsnSet({ value: [value] }));
}
