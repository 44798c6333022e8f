import Type from "typebox";
import { unwritable } from "./text.ts";

/** A full address to send a browser or a webhook to: what the WHATWG URL standard can read, http or https. */
export function webAddress(description: string) {
  return Type.Refine(addressText(description, "url"), isReadable);
}

function addressText(description: string, kind: "url" | "return_address") {
  return Type.String({
    minLength: 1,
    maxLength: 2048,
    // No braces in the host: a placeholder there would send the customer to another site.
    pattern: `^[hH][tT][tT][pP][sS]?:\\/\\/[^\\s\\/?#{}${unwritable}]+([\\/?#][^\\s${unwritable}]*)?$`,
    "x-florin": kind,
    description,
  });
}

/** Placeholders that an address to return to can have in its path, query and fragment. */
export const addressPlaceholders = [
  "CHECKOUT_SESSION_ID",
  "CHARGE_ID",
  "CLIENT_REFERENCE_ID",
] as const;
export type AddressPlaceholder = (typeof addressPlaceholders)[number];

/** A placeholder as merchants write it, also where their URL library has encoded the braces. */
const placeholder = /(?:\{|%7[Bb])([A-Z][A-Z_]*)(?:\}|%7[Dd])/g;

/** The address of a page of the merchant's that the customer returns to. A misspelt placeholder is rejected. */
export function returnAddress(description: string) {
  const names = addressPlaceholders.map((name) => `\`{${name}}\``).join(", ");
  return Type.Refine(
    addressText(
      `${description} ${names} are replaced, in the path, the query and the fragment.`,
      "return_address",
    ),
    isReturnAddress,
  );
}

/** Returns whether the text is an address, and each placeholder in it one that is replaced. */
export function isReturnAddress(text: string): boolean {
  return (
    isReadable(text) &&
    [...text.matchAll(placeholder)].every(([, name]) => isPlaceholder(name)) &&
    keepsItsSite(text)
  );
}

/**
 * Returns whether the host, the port and the user information are the same for every value. The URL standard decodes
 * `%7B` in a host and reads a backslash as a slash, so the parsed address is compared and not its text.
 */
function keepsItsSite(text: string): boolean {
  const [one, other] = ["a", "b"].map((value) => {
    const values = { CHECKOUT_SESSION_ID: value, CHARGE_ID: value, CLIENT_REFERENCE_ID: value };
    return URL.parse(fillPlaceholders(text, values));
  });
  if (!one || !other) return false;
  return (
    one.host === other.host && one.username === other.username && one.password === other.password
  );
}

/** Returns the address with each placeholder replaced by its value, percent-encoded, or by nothing where there is none. */
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

/** Patterns alone let `https://:80` and `http://[` pass. */
function isReadable(text: string): boolean {
  return URL.canParse(text);
}

/** The address of a device on the network, as people write it: IPv4 in four decimal numbers, or IPv6. */
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

/** The URL standard knows both kinds; of IPv4 it also takes octal numbers, and writes them out. */
export function isNetworkAddress(text: string): boolean {
  if (text.includes(":")) return URL.canParse(`http://[${text}]/`);
  return /^\d+(\.\d+){3}$/.test(text) && URL.parse(`http://${text}/`)?.hostname === text;
}

/** Scheme, host and port and nothing else (RFC 6454); `*` means any port of a loopback host. */
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

/** Loose on purpose: only a mail that arrives proves an address. */
export function emailAddress(description: string) {
  return Type.String({
    minLength: 1,
    maxLength: 254,
    pattern: `^[^\\s@"<>()\\[\\],;:${unwritable}]{1,64}@[^\\s@.${unwritable}]+(\\.[^\\s@.${unwritable}]+)+$`,
    "x-florin": "email",
    description,
  });
}
