import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { chromium, type Page } from "playwright-core";
import type { DashboardPage } from "./dashboard-pages.ts";
import { lookThrough } from "./look-at-page.ts";

/**
 * Photographs every page of the dashboard, in both themes, on a desk and on a phone:
 *
 *   npm run screenshots
 *
 * They are written to `.florin-screenshots`, or wherever FLORIN_SCREENSHOTS says, for looking at; one is kept.
 */
const directory = resolve(process.env.FLORIN_SCREENSHOTS ?? ".florin-screenshots");
/** The picture of the README, which is kept: as much of a page as a window of this height shows. */
const kept = { name: "payments-id-refunded-desk", as: "../docs/images/dashboard", height: 1010 };

const sizes = {
  desk: { width: 1280, height: 860 },
  phone: { width: 390, height: 844 },
} as const;

test("pictures of every page", async (t) => {
  await mkdir(directory, { recursive: true });
  const browser = await chromium.launch({
    executablePath: process.env.FLORIN_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  try {
    for (const size of ["desk", "phone"] as const) {
      await lookThrough(
        () => browser.newContext({ viewport: sizes[size], hasTouch: size === "phone" }),
        (page, one) => inBothThemes(page, `${nameOf(one)}-${size}`),
      );
    }
  } finally {
    await browser.close();
  }
  t.diagnostic(`in ${directory}`);
});

async function inBothThemes(page: Page, name: string): Promise<void> {
  // What sticks to the window would stand in the middle of a long picture.
  await page.evaluate(() => window.scrollTo(0, 0));
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(200);
    await page.screenshot({ path: join(directory, `${name}-${colorScheme}.png`), fullPage: true });
    if (name !== kept.name) continue;
    await page.setViewportSize({ ...sizes.desk, height: kept.height });
    await page.screenshot({ path: resolve(import.meta.dirname, `${kept.as}-${colorScheme}.png`) });
    await page.setViewportSize(sizes.desk);
  }
}

function nameOf({ route, look = "", as }: DashboardPage): string {
  const place = as === "operator" ? "operator " : "";
  return `${place}${route} ${look}`
    .replaceAll("$account/$mode", "overview")
    .replaceAll(/[^\w]+/g, "-")
    .replace(/-$/, "");
}
