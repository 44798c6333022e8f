import { existsSync } from "node:fs";

/** Debian's package `chromium-headless-shell`. Without a user interface it takes half of Chromium's CPU time. */
export const headlessShell = "/usr/bin/chromium-headless-shell";

/** Returns the browser of the tests and the screenshots. Set FLORIN_CHROMIUM to use another one. */
export function chromiumPath(): string {
  const installed = [headlessShell, "/usr/bin/chromium"].find((path) => existsSync(path));
  return process.env.FLORIN_CHROMIUM ?? installed ?? headlessShell;
}

/** Returns Playwright's options to launch it, with further arguments for the browser. */
export function chromiumOptions(...further: string[]) {
  return {
    executablePath: chromiumPath(),
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", ...further],
  };
}
