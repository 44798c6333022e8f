import {
  createCipheriv,
  createECDH,
  createHmac,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from "node:crypto";
import {
  deriveMessageKeys,
  zeroCounter,
} from "@florin/server/vault/wallets/google-pay/decrypt-message.ts";
import { signedBytes } from "@florin/server/vault/wallets/google-pay/verify-token.ts";

/** A key that signs tokens, with the root key's signature over it. */
export type SigningKey = {
  readonly key: KeyObject;
  readonly signedKey: string;
  readonly signatures: readonly string[];
};

/** Creates a signing key that is valid until `expiresAt`, and signs it with the root key. */
export function createSigningKey(rootKey: KeyObject, expiresAt: Date): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const signedKey = JSON.stringify({
    keyValue: publicKey.export({ format: "der", type: "spki" }).toString("base64"),
    keyExpiration: String(expiresAt.getTime()),
  });
  const signature = signText(rootKey, "Google", "ECv2", signedKey);
  return { key: privateKey, signedKey, signatures: [signature] };
}

/**
 * Encrypts a message to the recipient's public key and signs it, as Google does for protocol version ECv2. Throws if
 * the public key is not a point of P-256.
 */
export function encryptToken(
  message: object,
  signingKey: SigningKey,
  recipient: { readonly id: string; readonly publicKey: Buffer },
): string {
  const ephemeral = createECDH("prime256v1");
  const ephemeralPublicKey = ephemeral.generateKeys();
  const keys = deriveMessageKeys(ephemeralPublicKey, ephemeral.computeSecret(recipient.publicKey));
  const cipher = createCipheriv("aes-256-ctr", keys.encryption, zeroCounter);
  const encrypted = Buffer.concat([cipher.update(JSON.stringify(message)), cipher.final()]);
  const signedMessage = JSON.stringify({
    encryptedMessage: encrypted.toString("base64"),
    ephemeralPublicKey: ephemeralPublicKey.toString("base64"),
    tag: createHmac("sha256", keys.mac).update(encrypted).digest("base64"),
  });
  return JSON.stringify({
    protocolVersion: "ECv2",
    signature: signText(signingKey.key, "Google", recipient.id, "ECv2", signedMessage),
    intermediateSigningKey: {
      signedKey: signingKey.signedKey,
      signatures: signingKey.signatures,
    },
    signedMessage,
  });
}

function signText(key: KeyObject, ...parts: readonly string[]): string {
  return sign("sha256", signedBytes(...parts), key).toString("base64");
}
