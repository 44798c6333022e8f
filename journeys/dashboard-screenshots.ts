import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { type Browser, chromium, type Page } from "playwright-core";
import { type DashboardPage, dashboardPages } from "./dashboard-pages.ts";
import { type Filled, fillMerchant } from "./filled-merchant.ts";
import { lookAt } from "./look-at-page.ts";
import { signIn } from "./person.ts";
import { florin } from "./running-florin.ts";

/**
 * Photographs every page of the dashboard, in both themes, on a desk and on a phone:
 *
 *   npm run screenshots
 *
 * They are written to `.florin-screenshots`, or wherever FLORIN_SCREENSHOTS says; they are for looking at, and not kept.
 */
const directory = resolve(process.env.FLORIN_SCREENSHOTS ?? ".florin-screenshots");
const sizes = {
  desk: { width: 1280, height: 860 },
  phone: { width: 390, height: 844 },
} as const;

test("pictures of every page", async (t) => {
  await mkdir(directory, { recursive: true });
  const filled = await fillMerchant();
  const browser = await chromium.launch({
    executablePath: process.env.FLORIN_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  try {
    for (const size of ["desk", "phone"] as const) await photograph(browser, size, filled);
  } finally {
    await browser.close();
  }
  t.diagnostic(`in ${directory}`);
});

async function photograph(browser: Browser, size: keyof typeof sizes, filled: Filled) {
  const context = await browser.newContext({ viewport: sizes[size], hasTouch: size === "phone" });
  const page = await context.newPage();
  const take = async (wanted: readonly DashboardPage[], account: string) => {
    for (const one of wanted) {
      await lookAt(page, one, filled, account);
      await inBothThemes(page, `${nameOf(one)}-${size}`);
    }
  };
  await take(
    dashboardPages.filter(({ signedOut }) => signedOut),
    "",
  );
  await signIn(page, florin.demoPerson);
  await page.waitForURL(/\/dashboard\/acct_\w+\/test/);
  const account = /acct_\w+/.exec(page.url())?.[0] ?? "";
  await take(
    dashboardPages.filter(({ signedOut }) => !signedOut),
    account,
  );
  await context.close();
}

async function inBothThemes(page: Page, name: string): Promise<void> {
  // What sticks to the window would stand in the middle of a long picture.
  await page.evaluate(() => window.scrollTo(0, 0));
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(200);
    await page.screenshot({ path: join(directory, `${name}-${colorScheme}.png`), fullPage: true });
  }
}

function nameOf({ route, look = "" }: DashboardPage): string {
  return `${route} ${look}`
    .replaceAll("$account/$mode", "overview")
    .replaceAll(/[^\w]+/g, "-")
    .replace(/-$/, "");
}
