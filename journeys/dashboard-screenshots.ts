import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { chromium, type Page } from "playwright-core";
import { chromiumOptions } from "../tools/chromium.ts";
import type { DashboardPage } from "./dashboard-pages.ts";
import { visitDashboardPages } from "./visit-dashboard-pages.ts";

/**
 * Takes screenshots of every page of the dashboard, in both themes, on a desktop and on a phone:
 *
 *   npm run screenshots
 *
 * Writes them to `.florin-screenshots`, or to the directory in FLORIN_SCREENSHOTS. One is stored in the repository.
 */
const directory = resolve(process.env.FLORIN_SCREENSHOTS ?? ".florin-screenshots");
/** The screenshot that is stored for the README, with its viewport height. */
const stored = {
  name: "payments-id-refunded-desktop",
  as: "../docs/images/dashboard",
  height: 1010,
};

const sizes = {
  desktop: { width: 1280, height: 860 },
  phone: { width: 390, height: 844 },
} as const;

test("takes screenshots of every page", async (t) => {
  await mkdir(directory, { recursive: true });
  const browser = await chromium.launch(chromiumOptions());
  try {
    for (const size of ["desktop", "phone"] as const) {
      await visitDashboardPages(
        () => browser.newContext({ viewport: sizes[size], hasTouch: size === "phone" }),
        (page, dashboardPage) => screenshotInBothThemes(page, `${nameOf(dashboardPage)}-${size}`),
      );
    }
  } finally {
    await browser.close();
  }
  t.diagnostic(`in ${directory}`);
});

async function screenshotInBothThemes(page: Page, name: string): Promise<void> {
  // Scroll to the top first. Otherwise a sticky element would appear in the middle of the full-page screenshot.
  await page.evaluate(() => window.scrollTo(0, 0));
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(200);
    await page.screenshot({ path: join(directory, `${name}-${colorScheme}.png`), fullPage: true });
    if (name !== stored.name) continue;
    await page.setViewportSize({ ...sizes.desktop, height: stored.height });
    await page.screenshot({
      path: resolve(import.meta.dirname, `${stored.as}-${colorScheme}.png`),
    });
    await page.setViewportSize(sizes.desktop);
  }
}

function nameOf({ route, state = "", openedBy }: DashboardPage): string {
  const place = openedBy === "operator" ? "operator " : "";
  return `${place}${route} ${state}`
    .replaceAll("$account/$mode", "overview")
    .replaceAll(/[^\w]+/g, "-")
    .replace(/-$/, "");
}
