import { after } from "node:test";
import { type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { chromiumOptions } from "./chromium.ts";

export type TestBrowser = {
  /** Opens a page in its own context, which closes after the test. `complaints` collects its console output and uncaught errors. */
  newPage(options?: BrowserContextOptions): Promise<{ page: Page; complaints: string[] }>;
};

/** Not a performance target: on a machine with a load of 30, a page that loads in a second took ten. */
const maxWaitMs = 30_000;

/** Starts Chromium for all tests of one file, and closes it after them. */
export async function startTestBrowser(...further: string[]): Promise<TestBrowser> {
  const browser = await chromium.launch(chromiumOptions(...further));
  after(() => browser.close());
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
