import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { chromiumOptions } from "../tools/chromium.ts";

/**
 * Takes the screenshots for the README from a running Florin:
 *
 *   npm start
 *   node_modules/.bin/node journeys/screenshots.ts http://localhost:4243
 */
const shopUrl = process.argv[2] ?? "http://localhost:4243";
const directory = resolve(import.meta.dirname, "../docs/images");
const size = { width: 1120, height: 760 };

await mkdir(directory, { recursive: true });
const browser = await chromium.launch(chromiumOptions());
try {
  for (const colorScheme of ["light", "dark"] as const) await photograph(browser, colorScheme);
} finally {
  await browser.close();
}

async function photograph(browser: Browser, colorScheme: "light" | "dark"): Promise<void> {
  const context = await browser.newContext({ viewport: size, colorScheme });
  const page = await context.newPage();
  const take = (name: string) =>
    page.screenshot({ path: join(directory, `${name}-${colorScheme}.png`) });

  await page.goto(shopUrl);
  await page.getByRole("button", { name: "Moon vase" }).click();
  await page.getByRole("button", { name: "Pay here" }).click();
  await typeCard(page);
  await take("pay");
  await page.frameLocator("#pay iframe").locator(".pay").click();
  await page.getByRole("heading", { name: "Thank you." }).waitFor();
  await page.waitForTimeout(500);
  await take("paid");
  await context.close();
}

async function typeCard(page: Page): Promise<void> {
  const form = page.frameLocator("#pay iframe");
  await form.locator("#number").fill("4242424242424242");
  await form.locator("#expiry").fill("12/30");
  await form.locator("#cvc").fill("123");
  await form.locator("#name").fill("Ada Lovelace");
  // The last field keeps its focus ring until the focus has moved on.
  await form.locator(".pay").hover();
  await page.waitForTimeout(500);
}
