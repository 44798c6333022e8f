import type { BrowserScreen } from "@florin/contract/challenge.ts";
import { maskSecrets } from "../primitives/mask-secrets.ts";
import type { BrowserFacts } from "../processors/three-d-secure/message.ts";

/** What the HTTP request itself says. */
export type RequestFacts = {
  readonly accept: string | undefined;
  readonly userAgent: string | undefined;
  readonly ip: string;
};

const longestHeader = 2048;

export function browserFacts(screen: BrowserScreen, request: RequestFacts): BrowserFacts {
  return {
    // Required, and never empty: a browser that sends none takes anything.
    browserAcceptHeader: (maskSecrets(request.accept ?? "") || "*/*").slice(0, longestHeader),
    browserUserAgent: (maskSecrets(request.userAgent ?? "") || "unknown").slice(0, longestHeader),
    browserIP: plainAddress(request.ip),
    browserLanguage: shortLanguage(screen.language),
    browserJavascriptEnabled: true,
    browserJavaEnabled: screen.java_enabled,
    browserColorDepth: clampColorDepth(screen.color_depth),
    browserScreenHeight: String(screen.screen_height),
    browserScreenWidth: String(screen.screen_width),
    browserTZ: String(screen.time_zone),
  };
}

const colorDepths = ["48", "32", "24", "16", "15", "8", "4", "1"] as const;

/** Browsers report depths that EMV 3DS does not know, such as 30: down to the nearest that it does. */
export function clampColorDepth(depth: number): (typeof colorDepths)[number] {
  return colorDepths.find((known) => Number(known) <= depth) ?? "1";
}

/**
 * At most eight characters: `zh-Hant-TW` loses what does not fit, by whole subtags. What no tag is made of is cut off:
 * a message that could not be sent would let the cardholder choose to go without the bank's check.
 */
function shortLanguage(language: string): string {
  const tags = language.replace(/[^A-Za-z0-9-].*$/s, "").split("-");
  while (tags.length > 1 && tags.join("-").length > 8) tags.pop();
  return tags.join("-").slice(0, 8) || "en";
}

/** An IPv4 address that came over an IPv6 socket is still that IPv4 address. */
function plainAddress(ip: string): string {
  return ip.replace(/^::ffff:(?=\d+\.)/i, "");
}
