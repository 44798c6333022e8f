import { hash } from "node:crypto";
import { plainEmail } from "../../core/email-address.ts";

/** Hashes the address to which an email is sent, so that its spellings are counted together. */
export function hashRecipient(email: string): string {
  return hash("sha256", plainEmail(email));
}
