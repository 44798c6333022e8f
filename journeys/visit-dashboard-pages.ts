import type { BrowserContext, Page } from "playwright-core";
import { type DashboardPage, dashboardPages } from "./dashboard-pages.ts";
import { fillMerchant } from "./fill-merchant.ts";
import { becomeOperator } from "./operator.ts";
import { signIn } from "./person.ts";
import { florin } from "./running-florin.ts";

type Visit = (page: Page, dashboardPage: DashboardPage) => Promise<void>;

/**
 * Opens every page of the dashboard as the person in `openedBy`, waits until the page has loaded, and calls `onLoaded`.
 * Then changes the page to the state to check, and calls `visit`. Each of the three people has a separate browser
 * context.
 */
export async function visitDashboardPages(
  newBrowser: () => Promise<BrowserContext>,
  visit: Visit,
  { onLoaded }: { readonly onLoaded?: Visit } = {},
): Promise<void> {
  const objects = await fillMerchant();
  // The visitor comes before the operator, because one of the visitor's pages needs the setup link. The link works once,
  // and `becomeOperator` uses it.
  for (const person of [undefined, "visitor", "operator"] as const) {
    const browser = await newBrowser();
    const page = person === "operator" ? await becomeOperator(browser) : await browser.newPage();
    if (person === undefined) await signInAsDemo(page);
    for (const dashboardPage of dashboardPages.filter((listed) => listed.openedBy === person)) {
      const path = dashboardPage.path(objects).replace(/^\.\/?/, `/${objects.account}/test/`);
      await openPage(page, florin.dashboardUrl + path);
      await waitUntilLoaded(page);
      await onLoaded?.(page, dashboardPage);
      if (dashboardPage.act) {
        await dashboardPage.act(page);
        await waitUntilLoaded(page);
      }
      await visit(page, dashboardPage);
    }
    await browser.close();
  }
}

/**
 * Opens a page of the dashboard by following a link, which takes much less time than loading the dashboard again. Opens
 * an unknown page first. The heading of the unknown page shows that the previous page is gone. When this heading is
 * gone too, the new page is shown.
 */
async function openPage(page: Page, url: string): Promise<void> {
  if (!page.url().startsWith(florin.dashboardUrl)) {
    await page.goto(url);
    return;
  }
  const unknown = page.getByRole("heading", { name: "Page not found" });
  await page.evaluate(followLink, `${florin.dashboardUrl}/unknown`);
  await unknown.waitFor();
  await page.evaluate(followLink, url);
  await unknown.waitFor({ state: "detached" });
}

/** Runs inside the page. */
function followLink(url: string): void {
  history.pushState(null, "", url);
  dispatchEvent(new PopStateEvent("popstate"));
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
