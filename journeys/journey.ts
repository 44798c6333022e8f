import assert from "node:assert/strict";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type BrowserContext, chromium } from "playwright-core";
import { leaksIn, type Overheard, overhear } from "./overhear.ts";

/**
 * No promise about speed, which is measured elsewhere: it only ends a journey that waits for what will never come. On two
 * busy cores a walk of three seconds has taken twenty.
 */
const longestJourneyMs = 60_000;
const longestWaitMs = 30_000;

const browser = await chromium.launch({
  executablePath: process.env.FLORIN_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
after(() => browser.close());

/** One customer's way through the real system, in a browser that knows nothing yet. */
export function journey(
  name: string,
  walk: (customer: BrowserContext, overheard: Overheard) => Promise<void>,
  longestMs = longestJourneyMs,
): void {
  test(name, { timeout: longestMs }, async (t) => {
    const customer = await browser.newContext({ viewport: { width: 1200, height: 900 } });
    customer.setDefaultTimeout(longestWaitMs);
    const overheard = overhear(customer);
    try {
      await walk(customer, overheard);
      // Whatever a journey is about, its card went to the vault and nowhere else.
      assert.deepEqual(leaksIn(overheard), []);
    } catch (error) {
      t.diagnostic(`What the customer saw: ${await photograph(customer)}`);
      throw error;
    } finally {
      await customer.close();
    }
  });
}

async function photograph(customer: BrowserContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "florin-journey-failed-"));
  for (const [number, page] of customer.pages().entries()) {
    const path = join(directory, `page-${number + 1}.png`);
    await page.screenshot({ path, fullPage: true }).catch(() => undefined);
  }
  return directory;
}
