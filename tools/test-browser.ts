import { after } from "node:test";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { chromiumOptions } from "./chromium.ts";

export type TestBrowser = {
  /**
   * Opens a page in its own browser context, which is closed after the test. `complaints` collects the page's console
   * output and uncaught errors.
   */
  newPage(options?: BrowserContextOptions): Promise<{ page: Page; complaints: string[] }>;
};

/**
 * The timeout of a test's page operations. It is not a performance target: on a machine with a load of 30, a page that
 * usually loads in a second took ten seconds.
 */
const maxWaitMs = 60_000;

/** The browsers of this process by their arguments. Several test files in one process may share a browser. */
const browsers = new Map<string, Promise<Browser>>();

function launch(further: readonly string[]): Promise<Browser> {
  const key = further.join(" ");
  const running = browsers.get(key);
  if (running) return running;
  const launched = chromium.launch(chromiumOptions(...hosts, ...further));
  browsers.set(key, launched);
  after(async () => (await launched).close());
  return launched;
}

/** A host name that browsers do not treat as localhost, for the shop that embeds the card form. */
const hosts = ["--host-resolver-rules=MAP shop.test 127.0.0.1"];

/** Starts Chromium, or returns the browser that an earlier test file of this process started. */
export async function startTestBrowser(...further: string[]): Promise<TestBrowser> {
  const browser = await launch(further);
  return {
    async newPage(options = {}) {
      const context = await browser.newContext({ reducedMotion: "reduce", ...options });
      after(() => context.close());
      context.setDefaultTimeout(maxWaitMs);
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(String(error)));
      return { page, complaints };
    },
  };
}
