import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { BrowserContext, Page } from "playwright-core";
import { type DashboardPage, dashboardPages } from "./dashboard-pages.ts";
import { fillMerchant } from "./fill-merchant.ts";
import { becomeOperator } from "./operator.ts";
import { signIn } from "./person.ts";
import { florin } from "./running-florin.ts";

const axeSource = await readFile(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);

type Axe = {
  run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
};

/**
 * Opens every page of the dashboard as the person who uses it, waits until it has loaded, and calls `look`. Each of the
 * three people has a separate browser context.
 */
export async function visitDashboardPages(
  newBrowser: () => Promise<BrowserContext>,
  look: (page: Page, one: DashboardPage) => Promise<void>,
): Promise<void> {
  const filled = await fillMerchant();
  for (const who of [undefined, "visitor", "operator"] as const) {
    const browser = await newBrowser();
    const page = who === "operator" ? await becomeOperator(browser) : await browser.newPage();
    if (who === undefined) await signInAsDemo(page);
    for (const one of dashboardPages.filter((listed) => listed.as === who)) {
      await page.goto(
        florin.dashboardUrl + one.at(filled).replace(/^\.\/?/, `/${filled.account}/test/`),
      );
      await waitUntilLoaded(page);
      if (one.act) {
        await one.act(page);
        await waitUntilLoaded(page);
      }
      await look(page, one);
    }
    await browser.close();
  }
}

export async function signInAsDemo(page: Page): Promise<void> {
  await signIn(page, florin.demoPerson);
  await page.waitForURL(/\/dashboard\/acct_\w+\/test/);
}

/** Waits until the page shows no skeletons, spinners or animations. */
export async function waitUntilLoaded(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await page.waitForFunction(() => !document.querySelector("[aria-busy=true], .animate-pulse"));
  await page.waitForTimeout(250);
}

/**
 * Returns axe's violations on the page, one line per element. `contrast` checks only the contrast, for a page that was
 * already checked in another theme.
 */
export async function violationsOf(
  page: Page,
  rules: "all" | "contrast" = "all",
): Promise<string[]> {
  // The page's CSP blocks a script element, but not the debugger.
  await page.evaluate(axeSource);
  const options = {
    // Saves the selectors and the details of the elements without violations.
    resultTypes: ["violations"],
    selectors: false,
    ...(rules === "contrast" && { runOnly: ["color-contrast"] }),
  };
  return page.evaluate(async (options) => {
    const { violations } = await (window as unknown as { axe: Axe }).axe.run(options);
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  }, options);
}
