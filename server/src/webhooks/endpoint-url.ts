import { isIP } from "node:net";
import { ApiError } from "../primitives/api-error.ts";
import type { AddressRules } from "./address-rules.ts";

/**
 * Reads an endpoint's url as the WHATWG standard does, and gives it back as it will be used. What a name stands
 * for can change after this, so the address is judged again each time a connection is made.
 */
export function parseEndpointUrl(text: string, livemode: boolean, rules: AddressRules): string {
  const url = URL.parse(text);
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw invalid("url must be a full address that begins with https:// or http://.");
  }
  if (url.username !== "" || url.password !== "") {
    throw invalid("url must hold no user name and no password; verify the signature instead.");
  }
  if (livemode && url.protocol !== "https:") {
    throw invalid("In live mode url must begin with https://.");
  }
  if (!mayBeReached(url.hostname, rules)) {
    throw invalid(
      "url must be on the public internet. A private address can be used in test mode only, where the server allows it (FLORIN_PRIVATE_WEBHOOKS).",
    );
  }
  // A fragment is for browsers and is never sent.
  url.hash = "";
  return url.href;
}

function mayBeReached(hostname: string, rules: AddressRules): boolean {
  const bare = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (isIP(bare)) return rules.allows(bare);
  return rules.anyPrivate || !isLocalName(bare);
}

/** Names that the standards keep off the public internet (RFC 6761, RFC 6762). */
export function isLocalName(name: string): boolean {
  return !name.includes(".") || /\.(localhost|local|internal|home\.arpa)$/.test(name);
}

function invalid(message: string): ApiError {
  return new ApiError("url_invalid", message, { param: "url" });
}
