import { createPublicKey, type KeyObject } from "node:crypto";
import { decodeBase64 } from "../decode-base64.ts";
import { parse } from "../read-json-object.ts";

/** A key that signs intermediate keys. */
export type RootKey = { readonly key: KeyObject; readonly expiresAt: Date };

/**
 * Reads the root keys for ECv2 in the format of Google's file `keys.json`. Skips keys of other protocol versions.
 * Throws UNREADABLE_KEYS if the text has another format, and INVALID_KEY if a key for ECv2 is invalid or has no expiry.
 */
export function readRootKeys(json: string): RootKey[] {
  const { keys } = (parse(json) ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new Error("UNREADABLE_KEYS");
  return keys.flatMap((entry: unknown) => {
    const { protocolVersion, keyValue, keyExpiration } = entry as Record<string, unknown>;
    if (protocolVersion !== "ECv2") return [];
    const key = readPublicKey(keyValue);
    const expiresAt = readMilliseconds(keyExpiration);
    if (!key || !expiresAt) throw new Error("INVALID_KEY");
    return [{ key, expiresAt }];
  });
}

/** Reads a P-256 public key, as an X.509 SubjectPublicKeyInfo in base64. Returns null for any other value. */
export function readPublicKey(value: unknown): KeyObject | null {
  const der = decodeBase64(value);
  if (!der) return null;
  try {
    const key = createPublicKey({ key: der, format: "der", type: "spki" });
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : null;
  } catch {
    return null;
  }
}

/** Reads a time in milliseconds since 1970, as a decimal string. Returns null for any other value. */
export function readMilliseconds(value: unknown): Date | null {
  if (typeof value !== "string" || !/^[0-9]{1,15}$/.test(value)) return null;
  return new Date(Number(value));
}
