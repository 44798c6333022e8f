import { X509Certificate } from "node:crypto";
import { type BaseBlock, GeneralizedTime, OctetString, UTCTime } from "asn1js";
import { assertThat, bytesOf, childrenOf, decode, isContext, oidOf } from "../asn1-blocks.ts";
import { oids } from "./object-identifiers.ts";

/** The parts of a detached CMS signature (RFC 5652) that the verification uses. */
export type CmsSignature = {
  readonly certificates: readonly MarkedCertificate[];
  /** The encoding of the signed attributes over which the signature was computed. */
  readonly signedAttributes: Buffer;
  /** The SHA-256 of the signed message. */
  readonly messageDigest: Buffer;
  readonly signedAt: Date;
  /** The ECDSA signature in DER. */
  readonly signature: Buffer;
};

/** A certificate with the object identifiers of its extensions. */
export type MarkedCertificate = {
  readonly certificate: X509Certificate;
  readonly extensions: ReadonlySet<string>;
};

/**
 * The maximum number of certificates in a signature. Apple's signatures contain two: that of the signer and that of its
 * issuer.
 */
const maxCertificates = 4;

/**
 * Reads a signature by one signer with ECDSA and SHA-256. Returns null for any other bytes. Verifies nothing. Accepts
 * BER, because Apple's signatures have indefinite lengths.
 */
export function readSignature(ber: Buffer): CmsSignature | null {
  try {
    return read(ber);
  } catch {
    // The parser, `X509Certificate` and `assertThat` throw errors of several types for malformed input.
    return null;
  }
}

function read(ber: Buffer): CmsSignature {
  const [contentType, content] = childrenOf(decode(ber));
  assertThat(oidOf(contentType) === oids.signedData);
  const signedData = childrenOf(childrenOf(content)[0]);
  const certificates = signedData.find((block) => isContext(block, 0));
  const signerInfos = childrenOf(signedData.at(-1));
  assertThat(signerInfos.length === 1);
  const [, , digest, attributes, algorithm, signature] = childrenOf(signerInfos[0]);
  assertThat(oidOf(childrenOf(digest)[0]) === oids.sha256);
  assertThat(oidOf(childrenOf(algorithm)[0]) === oids.ecdsaWithSha256);
  assertThat(isContext(attributes, 0) && signature instanceof OctetString);

  const values = attributesOf(attributes);
  assertThat(oidOf(values.get(oids.contentType)) === oids.data);
  const messageDigest = values.get(oids.messageDigest);
  const signedAt = values.get(oids.signingTime);
  assertThat(messageDigest instanceof OctetString);
  assertThat(signedAt instanceof UTCTime || signedAt instanceof GeneralizedTime);
  return {
    certificates: certificatesOf(certificates),
    signedAttributes: asSet(bytesOf(attributes)),
    messageDigest: Buffer.from(messageDigest.getValue()),
    signedAt: signedAt.toDate(),
    signature: Buffer.from(signature.getValue()),
  };
}

function certificatesOf(block: BaseBlock | undefined): MarkedCertificate[] {
  const blocks = childrenOf(block);
  assertThat(blocks.length <= maxCertificates);
  return blocks.map((one) => ({
    certificate: new X509Certificate(bytesOf(one)),
    extensions: new Set(extensionsOf(one)),
  }));
}

/** Returns the object identifiers of a certificate's extensions (RFC 5280). */
function extensionsOf(certificate: BaseBlock): string[] {
  const [toBeSigned] = childrenOf(certificate);
  const explicit = childrenOf(toBeSigned).find((block) => isContext(block, 3));
  return childrenOf(childrenOf(explicit)[0]).map((extension) => oidOf(childrenOf(extension)[0]));
}

/** Returns the value of each attribute. An attribute that occurs twice, or has several values, is an error. */
function attributesOf(block: BaseBlock | undefined): ReadonlyMap<string, BaseBlock> {
  const attributes = childrenOf(block).map((attribute) => {
    const [type, set] = childrenOf(attribute);
    const [value, ...others] = childrenOf(set);
    assertThat(value !== undefined && others.length === 0);
    return [oidOf(type), value] as const;
  });
  const values = new Map(attributes);
  assertThat(values.size === attributes.length);
  return values;
}

/** Returns the attributes with the tag of a SET instead of `[0]`, because the signature covers this encoding. */
function asSet(attributes: Buffer): Buffer {
  const set = Buffer.from(attributes);
  set[0] = 0x31;
  return set;
}
