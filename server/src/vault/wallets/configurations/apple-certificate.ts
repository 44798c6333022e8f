import { hash, X509Certificate } from "node:crypto";
import { OctetString, Utf8String } from "asn1js";
import { oids } from "../apple-pay/object-identifiers.ts";
import { assertThat, bytesOf, childrenOf, decode, isContext, oidOf } from "../asn1-blocks.ts";
import type { StoredCertificate, WalletKey } from "./wallet-key.ts";

export type ReadCertificate =
  | ({ readonly kind: "certificate" } & StoredCertificate)
  /** The problem completes the sentence "The certificate …". It contains no data of the certificate. */
  | { readonly kind: "problem"; readonly problem: string };

/**
 * Reads the certificate that Apple issued for a key, in PEM or in base64 of DER. Checks that it belongs to the key and
 * to the merchant identifier, and that it is valid now. Does not check that Apple issued it, because Apple rejects a
 * certificate of another issuer and encrypts no token to its key.
 */
export function readAppleCertificate(
  text: string,
  { publicKey, purpose }: Pick<WalletKey, "publicKey" | "purpose">,
  merchantId: string,
  now: Date,
): ReadCertificate {
  const certificate = parseCertificate(text);
  if (!certificate) return problem("is not an X.509 certificate in PEM or DER");
  const spki = certificate.publicKey.export({ format: "der", type: "spki" });
  if (!spki.equals(publicKey)) {
    return problem(
      "is for another key. Upload the certificate that Apple created from this key's certificate request",
    );
  }
  if (certificate.ca) {
    return problem(
      "is that of a certificate authority. Upload the certificate that Apple issued for this key",
    );
  }
  const identity = readIdentity(certificate.raw);
  const isOfMerchant =
    purpose === "payment_processing"
      ? identity?.merchantIdHash?.toLowerCase() === hash("sha256", merchantId)
      : identity?.userId === merchantId;
  if (!isOfMerchant) {
    return problem(
      "is not for the merchant identifier of the configuration. Upload the certificate that Apple issued for this identifier",
    );
  }
  const expiresAt = new Date(certificate.validTo);
  if (new Date(certificate.validFrom) > now) return problem("is not valid yet");
  if (expiresAt <= now) return problem("has expired. Upload a new certificate from Apple");
  return { kind: "certificate", der: certificate.raw, expiresAt };
}

function problem(text: string): ReadCertificate {
  return { kind: "problem", problem: text };
}

function parseCertificate(text: string): X509Certificate | null {
  const isPem = text.trimStart().startsWith("-----BEGIN CERTIFICATE-----");
  try {
    return new X509Certificate(isPem ? text : Buffer.from(text, "base64"));
  } catch {
    return null;
  }
}

/** The merchant that a certificate names. */
type Identity = {
  /** The attribute UID of the subject. Null if there is none. */
  readonly userId: string | null;
  /** The hexadecimal SHA-256 of the merchant identifier, in Apple's extension. Null if there is none. */
  readonly merchantIdHash: string | null;
};

/** Reads the merchant from a certificate (RFC 5280). Returns null if its encoding is not the expected one. */
function readIdentity(der: Buffer): Identity | null {
  try {
    // version, serial number, signature, issuer, validity, subject, public key, …, extensions
    const fields = childrenOf(childrenOf(decode(der))[0]);
    assertThat(isContext(fields[0], 0));
    const extensions = fields.find((field) => isContext(field, 3));
    return { userId: userIdOf(fields[5]), merchantIdHash: merchantIdHashOf(extensions) };
  } catch {
    return null;
  }
}

type Block = Parameters<typeof childrenOf>[0];

/** Returns the user ID of a name. Throws if the name has several. */
function userIdOf(name: Block): string | null {
  const values = childrenOf(name)
    .flatMap((set) => childrenOf(set))
    .map((attribute) => childrenOf(attribute))
    .filter(([type]) => oidOf(type) === oids.userId)
    .map(([, value]) => value);
  if (values.length === 0) return null;
  const [value] = values;
  assertThat(values.length === 1 && value instanceof Utf8String);
  return value.getValue();
}

/** Returns the contents of Apple's extension: a text of hexadecimal digits. */
function merchantIdHashOf(extensions: Block): string | null {
  if (!extensions) return null;
  const found = childrenOf(childrenOf(extensions)[0])
    .map((extension) => childrenOf(extension))
    .filter(([type]) => oidOf(type) === oids.merchantIdHash);
  if (found.length === 0) return null;
  const value = found[0]?.at(-1);
  assertThat(found.length === 1 && value instanceof OctetString);
  const contents = Buffer.from(value.getValue());
  // The text is in an ASN.1 string, whose type and length take two bytes.
  const text = contents.subarray(2).toString("latin1");
  assertThat(contents[1] === text.length && bytesOf(value).length > 0);
  return text;
}
