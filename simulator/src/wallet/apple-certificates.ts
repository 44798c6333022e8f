import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { oids } from "@florin/server/vault/wallets/apple-pay/object-identifiers.ts";
import {
  Boolean as AsnBoolean,
  Set as AsnSet,
  type BaseBlock,
  BitString,
  Constructed,
  fromBER,
  Integer,
  Null,
  ObjectIdentifier,
  OctetString,
  Sequence,
  UTCTime,
  Utf8String,
} from "asn1js";

/** A certificate in DER, with the private key of its subject. */
export type KeyWithCertificate = { readonly key: KeyObject; readonly certificate: Buffer };

/** The certificate of the key that signs tokens, and the certificate of its issuer. */
export type AppleCertificates = {
  readonly leaf: KeyWithCertificate;
  readonly intermediate: KeyWithCertificate;
};

const rootName = "Simulated Wallet Root CA";

/** Creates the root certificate of the simulated wallet. It is valid until 2049, the last year of a UTCTime. */
export function createRootCertificate(key: KeyObject): Buffer {
  return certificateOf({
    subject: { name: rootName, key },
    issuer: { name: rootName, key },
    validFrom: new Date("2020-01-01T00:00:00Z"),
    validTo: new Date("2049-12-31T23:59:59Z"),
    extensions: [authorityConstraint()],
  });
}

/** Creates certificates with new keys, and with the extensions that mark certificates of Apple. */
export function createAppleCertificates(
  rootKey: KeyObject,
  validFrom: Date,
  validTo: Date,
  issuerName: string = rootName,
): AppleCertificates {
  const intermediateKey = newKey();
  const leafKey = newKey();
  const validity = { validFrom, validTo };
  const intermediate = { name: "Simulated Wallet Integration CA", key: intermediateKey };
  return {
    intermediate: {
      key: intermediateKey,
      certificate: certificateOf({
        subject: intermediate,
        issuer: { name: issuerName, key: rootKey },
        ...validity,
        extensions: [authorityConstraint(), marker(oids.intermediateMarker)],
      }),
    },
    leaf: {
      key: leafKey,
      certificate: certificateOf({
        subject: { name: "Simulated Wallet Signer", key: leafKey },
        issuer: intermediate,
        ...validity,
        extensions: [marker(oids.leafMarker)],
      }),
    },
  };
}

/** The subject or the issuer of a certificate. */
type Named = {
  readonly name: string;
  /** The attribute UID, by which Apple names the merchant. */
  readonly userId?: string;
  /** The private key. A subject that signs nothing may have only its public key here. */
  readonly key: KeyObject;
};

type CertificateFields = {
  readonly subject: Named;
  readonly issuer: Named;
  readonly validFrom: Date;
  readonly validTo: Date;
  readonly extensions: readonly Sequence[];
};

/** Returns a certificate (RFC 5280) that the issuer has signed. */
export function certificateOf({
  subject,
  issuer,
  validFrom,
  validTo,
  extensions,
}: CertificateFields): Buffer {
  const version3 = 2;
  const toBeSigned = sequence(
    explicit(0, new Integer({ value: version3 })),
    new Integer({ value: 1 }),
    algorithm(oids.ecdsaWithSha256),
    nameOf(issuer.name, issuer.userId),
    sequence(new UTCTime({ valueDate: validFrom }), new UTCTime({ valueDate: validTo })),
    nameOf(subject.name, subject.userId),
    fromBER(publicKeyOf(subject.key)).result,
    explicit(3, sequence(...extensions)),
  );
  const signature = sign("sha256", encode(toBeSigned), issuer.key);
  return encode(
    sequence(toBeSigned, algorithm(oids.ecdsaWithSha256), new BitString({ valueHex: signature })),
  );
}

/** Returns the extension that allows the certificate to issue others. */
export function authorityConstraint(): Sequence {
  const isAuthority = encode(sequence(new AsnBoolean({ value: true })));
  return sequence(
    new ObjectIdentifier({ value: oids.basicConstraints }),
    new AsnBoolean({ value: true }),
    new OctetString({ valueHex: isAuthority }),
  );
}

/** Returns an extension that only marks the certificate. */
export function marker(oid: string): Sequence {
  return sequence(
    new ObjectIdentifier({ value: oid }),
    new OctetString({ valueHex: encode(new Null()) }),
  );
}

/** Returns a name that consists of a common name and, optionally, a user ID before it. */
export function nameOf(name: string, userId?: string): Sequence {
  const attribute = (oid: string, value: string) =>
    new AsnSet({
      value: [sequence(new ObjectIdentifier({ value: oid }), new Utf8String({ value }))],
    });
  return sequence(
    ...(userId === undefined ? [] : [attribute(oids.userId, userId)]),
    attribute(oids.commonName, name),
  );
}

export function algorithm(oid: string): Sequence {
  return sequence(new ObjectIdentifier({ value: oid }));
}

export function sequence(...value: BaseBlock[]): Sequence {
  return new Sequence({ value });
}

/** Returns a value with the context-specific tag. */
export function explicit(tagNumber: number, ...value: BaseBlock[]): Constructed {
  const contextSpecific = 3;
  return new Constructed({ idBlock: { tagClass: contextSpecific, tagNumber }, value });
}

export function encode(block: BaseBlock): Buffer {
  return Buffer.from(block.toBER());
}

/** Returns the public key as a SubjectPublicKeyInfo. */
function publicKeyOf(key: KeyObject): Buffer {
  const publicKey = key.type === "public" ? key : createPublicKey(key);
  return publicKey.export({ format: "der", type: "spki" });
}

function newKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey;
}
