import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";

/**
 * Signatures that authenticate a webhook. Each webhook has two signatures over the same bytes, so that both the
 * `stripe` library's `constructEvent` and any Standard Webhooks library accept them.
 */

/** A signing secret, `whsec_` and the standard base64 of its 32 bytes. */
export type SigningSecret = `whsec_${string}`;

export function newSigningSecret(): SigningSecret {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

/** The keys of the two signatures, derived from one secret. */
export type SigningKey = {
  /** `Service-Signature` is keyed with the UTF-8 bytes of the whole text, including `whsec_`. */
  readonly wholeText: KeyObject;
  /** `webhook-signature` is keyed with the decoded bytes of the base64. */
  readonly decoded: KeyObject;
};

export function signingKey(secret: string): SigningKey {
  return {
    wholeText: createSecretKey(Buffer.from(secret, "utf8")),
    decoded: createSecretKey(Buffer.from(secret.slice("whsec_".length), "base64")),
  };
}

export type SignatureHeaders = {
  readonly "service-signature": string;
  readonly "webhook-id": string;
  readonly "webhook-timestamp": string;
  readonly "webhook-signature": string;
};

/**
 * Returns the signature headers of one attempt. Each attempt is signed with the current time, because receivers reject
 * timestamps older than five minutes. During a roll there is one signature for each valid secret.
 */
export function signatureHeaders(
  keys: readonly SigningKey[],
  message: { readonly id: string; readonly body: Buffer; readonly timestamp: number },
): SignatureHeaders {
  const { id, body, timestamp } = message;
  let service = `t=${timestamp}`;
  let standard = "";
  for (const { wholeText, decoded } of keys) {
    service += `,v1=${createHmac("sha256", wholeText).update(`${timestamp}.`).update(body).digest("hex")}`;
    const mac = createHmac("sha256", decoded).update(`${id}.${timestamp}.`).update(body);
    standard += `${standard && " "}v1,${mac.digest("base64")}`;
  }
  return {
    "service-signature": service,
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": standard,
  };
}
