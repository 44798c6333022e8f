import { isIP } from "node:net";
import { ApiError } from "../primitives/api-error.ts";
import { isPublicAddress } from "./public-address.ts";

/** Where webhooks of one world may go (contract §6). */
export type AddressRules = {
  readonly livemode: boolean;
  /** The server's setting for test mode; live mode never sends to a private address. */
  readonly allowPrivateAddresses: boolean;
};

export function mayBePrivate({ livemode, allowPrivateAddresses }: AddressRules): boolean {
  return !livemode && allowPrivateAddresses;
}

/**
 * Reads an endpoint's url as the WHATWG standard does, and gives it back as it will be used. What a name stands
 * for can change after this, so the address is judged again each time a connection is made.
 */
export function parseEndpointUrl(text: string, rules: AddressRules): string {
  const url = URL.parse(text);
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw invalid("url must be a full address that begins with https:// or http://.");
  }
  if (url.username !== "" || url.password !== "") {
    throw invalid("url must hold no user name and no password; verify the signature instead.");
  }
  if (rules.livemode && url.protocol !== "https:") {
    throw invalid("In live mode url must begin with https://.");
  }
  if (!mayBePrivate(rules) && isPrivateHost(url.hostname)) {
    throw invalid(
      "url must be on the public internet. A private address can be used in test mode only, where the server allows it.",
    );
  }
  // A fragment is for browsers and is never sent.
  url.hash = "";
  return url.href;
}

function isPrivateHost(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (isIP(bare)) return !isPublicAddress(bare);
  // Names that the standards keep off the public internet (RFC 6761, RFC 6762).
  return !bare.includes(".") || /\.(localhost|local|internal|home\.arpa)$/.test(bare);
}

function invalid(message: string): ApiError {
  return new ApiError("url_invalid", message, { param: "url" });
}
