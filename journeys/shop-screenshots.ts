import { join, resolve } from "node:path";
import { test } from "node:test";
import { type Browser, chromium } from "playwright-core";
import { chromiumOptions } from "../tools/chromium.ts";
import { payInFrame, typeCard, validCard } from "./customer.ts";
import { florin } from "./running-florin.ts";

/** Takes the screenshots of the demo shop for the README. Runs in `npm run screenshots`. */
const directory = resolve(import.meta.dirname, "../docs/images");
const size = { width: 1120, height: 830 };

test("takes screenshots of the demo shop with the card form", async () => {
  const browser = await chromium.launch(chromiumOptions());
  try {
    for (const colorScheme of ["light", "dark"] as const)
      await takeScreenshots(browser, colorScheme);
  } finally {
    await browser.close();
  }
});

async function takeScreenshots(browser: Browser, colorScheme: "light" | "dark"): Promise<void> {
  const context = await browser.newContext({ viewport: size, colorScheme });
  const page = await context.newPage();
  await page.goto(florin.shopUrl);
  await page.getByRole("button", { name: "Moon vase" }).click();
  const form = await payInFrame(page);
  await typeCard(form, validCard);
  await form.locator("#name").blur();
  // Wait until the focus ring of the field has disappeared.
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(directory, `pay-${colorScheme}.png`) });
  await context.close();
}
