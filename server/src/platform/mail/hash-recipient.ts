import { hash } from "node:crypto";
import { domainToASCII } from "node:url";

/**
 * Hashes the address to which an email is sent, so that its spellings are counted together. Folds the case of letters,
 * and maps the domain as the mail library does (UTS #46). For example, full-width letters become ASCII letters, and
 * invisible characters are removed.
 */
export function hashRecipient(email: string): string {
  const at = email.lastIndexOf("@") + 1;
  const domain = email.slice(at);
  return hash("sha256", (email.slice(0, at) + (domainToASCII(domain) || domain)).toLowerCase());
}
