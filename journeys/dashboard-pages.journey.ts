import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { type DashboardPage, dashboardPages } from "./dashboard-pages.ts";
import { fillMerchant } from "./filled-merchant.ts";
import { journey } from "./journey.ts";
import { lookAt, violationsOf } from "./look-at-page.ts";
import { signIn } from "./person.ts";
import { florin } from "./running-florin.ts";

const longestMs = 300_000;

test("every page of the dashboard is among those that are looked at", () => {
  const routes = readFileSync(join(import.meta.dirname, "../dashboard/src/routes.tsx"), "utf8");
  const listed = [...routes.matchAll(/\b\w*[pP]age\(\s*"([^"]+)",\s*\(\) => import/g)]
    .map(([, path = ""]) => path)
    // The bare address only leads on to others.
    .filter((path) => path !== "/");
  const looked = new Set(dashboardPages.map(({ route }) => route));
  assert.ok(listed.length > 5);
  assert.deepEqual(
    listed.filter((path) => !looked.has(path)),
    [],
  );
});

journey(
  "no page of the dashboard has anything for axe to find, light or dark, and none complains",
  async (browser) => {
    const filled = await fillMerchant();
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error" && !isExpected(message.text())) {
        complaints.push(`${page.url()}: ${message.text()}`);
      }
    });

    const found: string[] = [];
    const lookThrough = async (pages: readonly DashboardPage[], account: string) => {
      for (const one of pages) {
        await lookAt(page, one, filled, account);
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          const where = `${one.route} ${one.look ?? ""} ${colorScheme}`;
          found.push(...(await violationsOf(page)).map((violation) => `${where}: ${violation}`));
        }
      }
    };
    await lookThrough(
      dashboardPages.filter(({ signedOut }) => signedOut),
      "",
    );
    const account = await signInAsDemo(page);
    await lookThrough(
      dashboardPages.filter(({ signedOut }) => !signedOut),
      account,
    );
    assert.deepEqual(found, []);
    assert.deepEqual(complaints, []);
  },
  longestMs,
);

journey(
  "every page fits a phone: nothing is wider than the screen",
  async (browser) => {
    const filled = await fillMerchant();
    const page = await browser.newPage();
    await page.setViewportSize({ width: 360, height: 780 });
    const account = await signInAsDemo(page);
    const wide: string[] = [];
    for (const one of dashboardPages.filter(({ signedOut }) => !signedOut)) {
      await lookAt(page, one, filled, account);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > 360) wide.push(`${one.route} ${one.look ?? ""}: ${width} px`);
    }
    assert.deepEqual(wide, []);
  },
  longestMs,
);

/**
 * The card form in the playground names a feature in its headers that this browser does not know; and a page that asks
 * who is signed in may be told that nobody is.
 */
function isExpected(text: string): boolean {
  return /Permissions-Policy header: Unrecognized feature|status of 401/.test(text);
}

async function signInAsDemo(page: Page): Promise<string> {
  await signIn(page, florin.demoPerson);
  await page.waitForURL(/\/dashboard\/acct_\w+\/test/);
  return /acct_\w+/.exec(page.url())?.[0] ?? "";
}
