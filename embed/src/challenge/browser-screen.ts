import type { BrowserScreen } from "@florin/contract/challenge.ts";

/** Returns the browser data of EMV 3-D Secure table A.1 that only a script can read. */
export function browserScreen(): BrowserScreen {
  return {
    color_depth: screen.colorDepth,
    screen_height: Math.round(screen.height),
    screen_width: Math.round(screen.width),
    time_zone: new Date().getTimezoneOffset(),
    language: (navigator.language || "en").slice(0, 35),
    // Removed from some browsers, and false in the others.
    java_enabled: typeof navigator.javaEnabled === "function" && navigator.javaEnabled(),
  };
}

/** Returns the largest of the five EMV 3DS challenge window sizes that fits. */
export function windowSizeFor(width: number, height: number): "01" | "02" | "03" | "04" | "05" {
  if (width >= 800 && height >= 700) return "05";
  if (width >= 600) return "04";
  if (width >= 500 && height >= 600) return "03";
  return width >= 390 ? "02" : "01";
}
