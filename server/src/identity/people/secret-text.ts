import { hash, randomBytes } from "node:crypto";

/** Returns 256 random bits. They cannot be guessed, so a plain hash of them can be stored. */
export function newSecretText(): string {
  return randomBytes(32).toString("base64url");
}

export function hashSecretText(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
