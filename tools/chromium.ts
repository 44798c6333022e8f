import { existsSync } from "node:fs";

/** Debian's `chromium-headless-shell`, which has no user interface and uses half the CPU time of Chromium. */
export const headlessShell = "/usr/bin/chromium-headless-shell";

/** Returns the path of the browser for tests and screenshots. Set FLORIN_CHROMIUM to use another browser. */
export function chromiumPath(): string {
  const installed = [headlessShell, "/usr/bin/chromium"].find((path) => existsSync(path));
  return process.env.FLORIN_CHROMIUM ?? installed ?? headlessShell;
}

/** Returns Playwright's options to launch the browser, with further arguments for the browser. */
export function chromiumOptions(...further: string[]) {
  return {
    executablePath: chromiumPath(),
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", ...further],
  };
}
