import Type from "typebox";
import { controls, directionControls, unwritable } from "./text.ts";

/**
 * Characters that a URL never contains unencoded, and that would change how a terminal or a page shows the text. Names may
 * contain U+061C, U+200E and U+200F, because Arabic and Hebrew text needs them.
 */
const invisible = `${unwritable}${controls}${directionControls}\\u061c\\u200e\\u200f`;

/** A full http or https URL for a browser or a webhook, in the syntax of the WHATWG URL standard. */
export function webAddress(description: string) {
  return Type.Refine(addressText(description, "url"), isReadable);
}

function addressText(description: string, kind: "url" | "return_address") {
  return Type.String({
    minLength: 1,
    maxLength: 2048,
    // Rejects braces in the host, because a placeholder there would send the customer to another site.
    pattern: `^[hH][tT][tT][pP][sS]?:\\/\\/[^\\s\\/?#{}${invisible}]+([\\/?#][^\\s${invisible}]*)?$`,
    "x-florin": kind,
    description,
  });
}

/** Placeholders that a return URL can have in its path, query and fragment. */
export const addressPlaceholders = [
  "CHECKOUT_SESSION_ID",
  "CHARGE_ID",
  "CLIENT_REFERENCE_ID",
] as const;
export type AddressPlaceholder = (typeof addressPlaceholders)[number];

/** A placeholder as merchants write it, or with braces that a merchant's URL library has percent-encoded. */
const placeholder = /(?:\{|%7[Bb])([A-Z][A-Z_]*)(?:\}|%7[Dd])/g;

/** The URL of a merchant's page to which the customer returns. A misspelled placeholder is rejected. */
export function returnAddress(description: string) {
  const names = addressPlaceholders.map((name) => `\`{${name}}\``).join(", ");
  return Type.Refine(
    addressText(
      `${description} ${names} are replaced in the path, the query and the fragment.`,
      "return_address",
    ),
    isReturnAddress,
  );
}

/** Returns whether the text is a URL in which every placeholder is supported. */
export function isReturnAddress(text: string): boolean {
  return (
    isReadable(text) &&
    [...text.matchAll(placeholder)].every(([, name]) => isPlaceholder(name)) &&
    hasFixedSite(text)
  );
}

/**
 * Returns whether the host, the port and the user information are the same for every value of the placeholders.
 * Compares parsed URLs, because the URL standard decodes `%7B` in a host and reads a backslash as a slash.
 */
function hasFixedSite(text: string): boolean {
  const [one, other] = ["a", "b"].map((value) => {
    const values = { CHECKOUT_SESSION_ID: value, CHARGE_ID: value, CLIENT_REFERENCE_ID: value };
    return URL.parse(fillPlaceholders(text, values));
  });
  if (!one || !other) return false;
  return (
    one.host === other.host && one.username === other.username && one.password === other.password
  );
}

/**
 * Returns the URL with each placeholder replaced by its percent-encoded value. A placeholder without a value is
 * removed.
 */
export function fillPlaceholders(
  address: string,
  values: Readonly<Record<AddressPlaceholder, string | null>>,
): string {
  return address.replace(placeholder, (written, name: string) =>
    isPlaceholder(name) ? encodeURIComponent(values[name] ?? "") : written,
  );
}

function isPlaceholder(name: string | undefined): name is AddressPlaceholder {
  return addressPlaceholders.some((known) => known === name);
}

/** Returns whether the URL can be parsed. Patterns alone accept `https://:80` and `http://[`. */
function isReadable(text: string): boolean {
  return URL.canParse(text);
}

/** The IP address of a device in its usual form: IPv4 in four decimal numbers, or IPv6. */
export function networkAddress(description: string) {
  return Type.Refine(
    Type.String({
      minLength: 2,
      maxLength: 45,
      pattern: "^[0-9A-Fa-f:.]+$",
      "x-florin": "ip",
      description,
    }),
    isNetworkAddress,
  );
}

/**
 * Returns whether the text is an IPv4 or IPv6 address. The URL standard also accepts octal numbers in IPv4 and
 * normalizes them, so the result is compared with the text.
 */
export function isNetworkAddress(text: string): boolean {
  if (text.includes(":")) return URL.canParse(`http://[${text}]/`);
  return /^\d+(\.\d+){3}$/.test(text) && URL.parse(`http://${text}/`)?.hostname === text;
}

/** An origin: scheme, host and port (RFC 6454). `*` means any port of a loopback host. */
export function origin(description: string) {
  const host = "[A-Za-z0-9]([A-Za-z0-9._\\-]*[A-Za-z0-9])?";
  const address = "\\[[0-9A-Fa-f:.]+\\]";
  const port = "(:[0-9]{1,5})?";
  const anyLoopbackPort = "http:\\/\\/(localhost|127\\.0\\.0\\.1):\\*";
  return Type.String({
    minLength: 1,
    maxLength: 255,
    pattern: `^(https?:\\/\\/(${host}|${address})${port}|${anyLoopbackPort})$`,
    "x-florin": "origin",
    description,
  });
}

/**
 * An email address. The pattern is permissive, because only a delivered email shows that an address exists. But it
 * rejects the characters with which mail programs delimit or comment an address: the email to `ada@example.com,1.x`
 * would be sent to `ada@example.com`, and would not count against the limit of that address. The parts of a domain
 * consist of letters, digits and hyphens (RFC 5321 §4.1.2) of any script (RFC 6531 §3.3), and underscores, which some
 * host names contain.
 */
export function emailAddress(description: string) {
  const label = "[\\p{L}\\p{M}\\p{N}_\\-]+";
  return Type.String({
    minLength: 1,
    maxLength: 254,
    pattern: `^[^\\s@"<>()\\[\\],;:\\\\\\p{Cf}${unwritable}${controls}]{1,64}@${label}(\\.${label})+$`,
    "x-florin": "email",
    description,
  });
}
