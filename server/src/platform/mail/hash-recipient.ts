import { hash } from "node:crypto";
import { domainToASCII } from "node:url";

/**
 * Hashes the address to which an email is sent. All spellings of an address have the same hash: the case of its letters
 * is folded, and the mail library maps a domain with, for example, full-width letters to the usual one (UTS #46).
 */
export function hashRecipient(email: string): string {
  const at = email.lastIndexOf("@") + 1;
  const domain = email.slice(at);
  return hash("sha256", (email.slice(0, at) + (domainToASCII(domain) || domain)).toLowerCase());
}
