import type { BrowserScreen } from "@florin/contract/challenge.ts";

/** What the bank may know of this browser and only a script can tell (EMV 3-D Secure, table A.1). */
export function browserScreen(): BrowserScreen {
  return {
    color_depth: screen.colorDepth,
    screen_height: Math.round(screen.height),
    screen_width: Math.round(screen.width),
    time_zone: new Date().getTimezoneOffset(),
    language: (navigator.language || "en").slice(0, 35),
    // Gone from some browsers, and false in the rest.
    java_enabled: typeof navigator.javaEnabled === "function" && navigator.javaEnabled(),
  };
}

/** EMV 3DS knows five sizes of window; the bank draws its page for the one that fits into ours. */
export function windowSizeFor(width: number, height: number): "01" | "02" | "03" | "04" | "05" {
  if (width >= 800 && height >= 700) return "05";
  if (width >= 600) return "04";
  if (width >= 500 && height >= 600) return "03";
  return width >= 390 ? "02" : "01";
}
