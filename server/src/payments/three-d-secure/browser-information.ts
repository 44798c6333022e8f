import type { BrowserScreen } from "@florin/contract/challenge.ts";
import type { BrowserInformation } from "../../acquiring/three-d-secure/message.ts";
import { maskSecrets } from "../../core/mask-secrets.ts";
import { knownAddress } from "../../core/network.ts";

/** The properties of the HTTP request that are part of the EMV 3DS browser information. */
export type BrowserRequest = {
  readonly accept: string | undefined;
  readonly userAgent: string | undefined;
  readonly ip: string;
};

const maxHeaderLength = 2048;

export function browserInformation(
  screen: BrowserScreen,
  request: BrowserRequest,
): BrowserInformation {
  const ip = knownAddress(request.ip);
  return {
    // The element is required and must not be empty. A request without an Accept header accepts anything.
    browserAcceptHeader: (maskSecrets(request.accept ?? "") || "*/*").slice(0, maxHeaderLength),
    browserUserAgent: (maskSecrets(request.userAgent ?? "") || "unknown").slice(0, maxHeaderLength),
    ...(ip !== null && { browserIP: ip }),
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

/** Rounds a color depth down to a value that EMV 3DS allows. Browsers report other values, such as 30. */
export function clampColorDepth(depth: number): (typeof colorDepths)[number] {
  return colorDepths.find((known) => Number(known) <= depth) ?? "1";
}

/**
 * Shortens a language tag, such as `zh-Hant-TW`, to eight characters by removing subtags. Also removes the first
 * invalid character and everything after it. Otherwise a browser could skip authentication by sending a tag that makes
 * the message invalid.
 */
function shortLanguage(language: string): string {
  const tags = language.replace(/[^A-Za-z0-9-].*$/s, "").split("-");
  while (tags.length > 1 && tags.join("-").length > 8) tags.pop();
  return tags.join("-").slice(0, 8) || "en";
}
