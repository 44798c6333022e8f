import { existsSync } from "node:fs";

/** Debian's package `chromium-headless-shell`. Without a user interface it takes half of Chromium's CPU time. */
export const headlessShell = "/usr/bin/chromium-headless-shell";

/** The browser for the tests and the screenshots. Set FLORIN_CHROMIUM to use another one. */
export function chromiumPath(): string {
  const installed = [headlessShell, "/usr/bin/chromium"].find((path) => existsSync(path));
  return process.env.FLORIN_CHROMIUM ?? installed ?? headlessShell;
}
