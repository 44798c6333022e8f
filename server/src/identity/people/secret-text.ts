import { hash, randomBytes } from "node:crypto";

/** Returns a random text of 256 bits. Such a text cannot be guessed, so it is safe to store its hash without a salt. */
export function newSecretText(): string {
  return randomBytes(32).toString("base64url");
}

export function hashSecretText(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
