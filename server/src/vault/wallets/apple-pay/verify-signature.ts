import { hash, verify, type X509Certificate } from "node:crypto";
import type { TokenRejection } from "../wallet-token.ts";
import { oids } from "./object-identifiers.ts";
import type { EcV1Token } from "./parse-token.ts";
import type { CmsSignature } from "./read-signature.ts";

/**
 * Verifies the signature of a token: the root has issued the intermediate certificate, which has issued the signer's
 * certificate, and the signer has signed the message. Returns the reason if the token must be rejected, or null.
 */
export function rejectSignature(
  token: EcV1Token,
  signature: CmsSignature,
  root: X509Certificate,
  now: Date,
): TokenRejection | null {
  const leaf = markedWith(signature, oids.leafMarker);
  const intermediate = markedWith(signature, oids.intermediateMarker);
  if (!leaf || !intermediate) return "untrusted_signing_key";
  const isTrusted =
    isIssuedBy(intermediate, root) && intermediate.ca && isIssuedBy(leaf, intermediate);
  if (!isTrusted) return "untrusted_signing_key";
  if (![leaf, intermediate, root].every((one) => isValidAt(one, now))) return "expired_signing_key";

  if (!hash("sha256", signedMessage(token), "buffer").equals(signature.messageDigest)) {
    return "invalid_signature";
  }
  return verify("sha256", signature.signedAttributes, leaf.publicKey, signature.signature)
    ? null
    : "invalid_signature";
}

/** Returns the bytes that the signature covers. */
export function signedMessage({
  ephemeralPublicKey,
  data,
  transactionId,
  applicationData,
}: Omit<EcV1Token, "signature" | "publicKeyHash">): Buffer {
  return Buffer.concat([ephemeralPublicKey, data, transactionId, applicationData]);
}

/** Returns the certificate with the extension. Returns null if none or several certificates have it. */
function markedWith({ certificates }: CmsSignature, oid: string): X509Certificate | null {
  const [found, ...others] = certificates.filter(({ extensions }) => extensions.has(oid));
  return found && others.length === 0 ? found.certificate : null;
}

/** Returns whether the issuer is named in the certificate and has signed it. */
function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function isValidAt({ validFrom, validTo }: X509Certificate, now: Date): boolean {
  return Date.parse(validFrom) <= now.getTime() && now.getTime() < Date.parse(validTo);
}
