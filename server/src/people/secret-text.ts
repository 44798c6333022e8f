import { hash, randomBytes } from "node:crypto";

/** 256 random bits: nobody finds them by trying, so that a plain hash of them can be kept. */
export function newSecretText(): string {
  return randomBytes(32).toString("base64url");
}

export function hashSecretText(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
