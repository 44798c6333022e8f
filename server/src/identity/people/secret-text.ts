import { hash, randomBytes } from "node:crypto";

/** Returns a random text of 256 bits. It cannot be guessed, so an unsalted hash of it is safe to store. */
export function newSecretText(): string {
  return randomBytes(32).toString("base64url");
}

export function hashSecretText(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
