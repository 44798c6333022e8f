import { isIP } from "node:net";
import { ApiError } from "../../core/api-error.ts";
import type { AddressRules } from "./ip-address-rules.ts";

/**
 * Parses an endpoint's URL by the WHATWG standard and returns its normal form. The IP address is checked again at each
 * connection, because the host name can resolve to another address later.
 */
export function parseEndpointUrl(text: string, livemode: boolean, rules: AddressRules): string {
  const url = URL.parse(text);
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw invalid(
      "`url` must be an absolute URL that begins with https:// or http://. Send a URL such as `https://shop.example/webhooks`.",
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw invalid(
      "`url` must not contain a user name or a password. Verify the signature of each request instead.",
    );
  }
  if (livemode && url.protocol !== "https:") {
    throw invalid(
      "`url` must begin with https:// in live mode. Send a URL such as `https://shop.example/webhooks`.",
    );
  }
  if (!mayBeReached(url.hostname, rules)) {
    throw invalid(
      "`url` must have a host with a public address. Send the URL of a server on the public internet. In test mode, the operator can allow private addresses with FLORIN_PRIVATE_WEBHOOKS.",
    );
  }
  // A fragment is never sent.
  url.hash = "";
  return url.href;
}

function mayBeReached(hostname: string, rules: AddressRules): boolean {
  const bare = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (isIP(bare)) return rules.allows(bare);
  return rules.anyPrivate || !isLocalName(bare);
}

/** Returns whether RFC 6761 or RFC 6762 reserves the name for local use, or it has no dot. */
export function isLocalName(name: string): boolean {
  return !name.includes(".") || /\.(localhost|local|internal|home\.arpa)$/.test(name);
}

function invalid(message: string): ApiError {
  return new ApiError("url_invalid", message, { param: "url" });
}
