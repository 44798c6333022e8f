import assert from "node:assert/strict";
import { mkdir, mkdtemp } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after, type TestContext, test } from "node:test";
import { type BrowserContext, chromium } from "playwright-core";
import { chromiumOptions } from "../tools/chromium.ts";
import { leaksIn, recordRequests, type Traffic } from "./record-traffic.ts";

/**
 * The timeout of a journey. It is not a performance target: on two busy cores, a journey that usually takes eight
 * seconds took forty seconds.
 */
const maxJourneyMs = 240_000;
const maxWaitMs = 60_000;

const browser = await chromium.launch(chromiumOptions());
after(() => browser.close());

/** Defines a test that runs in a new browser context against the `florin start` command. */
export function journey(
  name: string,
  run: (customer: BrowserContext, traffic: Traffic, t: TestContext) => Promise<void>,
  maxDurationMs = maxJourneyMs,
): void {
  test(name, { timeout: maxDurationMs }, async (t) => {
    const customer = await browser.newContext({
      viewport: { width: 1200, height: 900 },
      reducedMotion: "reduce",
    });
    customer.setDefaultTimeout(maxWaitMs);
    const traffic = recordRequests(customer);
    try {
      await run(customer, traffic, t);
      // Every journey also asserts that card numbers are sent only to the vault.
      assert.deepEqual(leaksIn(traffic), []);
    } catch (error) {
      t.diagnostic(`Screenshots: ${await takeScreenshots()}`);
      throw error;
    } finally {
      await customer.close();
    }
  });
}

/**
 * Takes screenshots of a failed journey. Stores them in the repository's directory, because `npm test` deletes its
 * temporary files. Returns the directory.
 */
async function takeScreenshots(): Promise<string> {
  const parent = resolve(import.meta.dirname, "../.florin-test");
  await mkdir(parent, { recursive: true });
  const directory = await mkdtemp(join(parent, "journey-failed-"));
  const pages = browser.contexts().flatMap((context) => context.pages());
  for (const [number, page] of pages.entries()) {
    const path = join(directory, `page-${number + 1}.png`);
    await page.screenshot({ path, fullPage: true }).catch(() => undefined);
  }
  return directory;
}
