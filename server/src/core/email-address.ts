import { domainToASCII, domainToUnicode } from "node:url";

/**
 * Returns the canonical spelling of an email address: in lower case, the local part in NFC (RFC 6532 §3.1), and the
 * domain as in `plainDomain`. Two spellings of one mailbox would otherwise count as two addresses.
 */
export function plainEmail(email: string): string {
  const at = email.lastIndexOf("@") + 1;
  return email.slice(0, at).normalize("NFC").toLowerCase() + plainDomain(email.slice(at));
}

/**
 * Returns the canonical spelling of a domain, in Unicode. It maps the domain as mail programs do before they resolve it
 * (UTS #46). For example, full-width letters become ASCII letters, and invisible characters are removed.
 */
export function plainDomain(domain: string): string {
  const lower = domain.toLowerCase();
  // Skips the mapping, which takes six microseconds and would not change this domain.
  if (/^[a-z0-9._-]*$/.test(lower) && !lower.includes("xn--")) return lower;
  return domainToUnicode(domainToASCII(domain)) || lower;
}
