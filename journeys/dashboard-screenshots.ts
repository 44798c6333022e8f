import { resolve } from "node:path";
import { test } from "node:test";
import { type Browser, chromium, type Page } from "playwright-core";
import { chromiumOptions } from "../tools/chromium.ts";
import {
  addToBag,
  bankPage,
  challengedCard,
  enterCode,
  insufficientFundsCard,
  pay,
  payInFrame,
  validCard,
  waitForText,
  waitUntilOrderPaid,
} from "./customer.ts";
import type { DashboardPage } from "./dashboard-pages.ts";
import { createSession } from "./merchant-api.ts";
import { newWindow, screenshotInThemes, sizeNames, sizes } from "./screenshot.ts";
import { visitDashboardPages } from "./visit-dashboard-pages.ts";

/**
 * Takes screenshots of every page of the dashboard, in both themes, on a desktop and on a phone:
 *
 *   npm run screenshots
 *
 * Writes them to the directory in `screenshot.ts`, and those for the README and the documentation to docs/images.
 */
/** The screenshot that is stored for the README, with its viewport height. */
const stored = {
  name: "payments-id-refunded-desktop",
  as: "../docs/images/dashboard",
  height: 1010,
};

test("takes screenshots of every page", async () => {
  const browser = await chromium.launch(chromiumOptions());
  try {
    await payInShop(browser);
    await visitDashboardPages(
      () => newWindow(browser, "desktop"),
      // Takes both sizes in one visit, because the states of some pages can be reached only once.
      async (page, dashboardPage) => {
        for (const size of sizeNames) {
          await page.setViewportSize(sizes[size]);
          await takeScreenshots(page, `${nameOf(dashboardPage)}-${size}`);
        }
        await page.setViewportSize(sizes.desktop);
      },
    );
  } finally {
    await browser.close();
  }
});

/** Pays in the demo shop, so that the diagram of the payment flow shows sessions, retries and 3-D Secure. */
async function payInShop(browser: Browser): Promise<void> {
  const cards = [validCard, validCard, validCard, insufficientFundsCard];
  for (const card of [...cards, ...cards, ...Array(4).fill(challengedCard)]) {
    const customer = await browser.newContext();
    const page = await addToBag(customer);
    const form = await payInFrame(page);
    await pay(form, card);
    if (card === challengedCard) await enterCode(bankPage(page));
    if (card === insufficientFundsCard) await waitForText(form, "has insufficient funds");
    else await waitUntilOrderPaid(page);
    await customer.close();
  }
  for (let count = 0; count < 5; count += 1) await createSession({ amount: 2_800 });
}

/** Takes a screenshot of the diagram of the payment flow on the overview. */
async function screenshotFlow(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  const flow = page.getByRole("region", { name: "Payment flow", exact: true });
  // The code of the diagram is loaded after the page.
  await flow.locator("svg text").first().waitFor();
  const path = resolve(import.meta.dirname, `../docs/images/payment-flow-${colorScheme}.png`);
  await flow.screenshot({ path });
}

function takeScreenshots(page: Page, name: string): Promise<void> {
  return screenshotInThemes(page, name, {
    // The browser does not draw a cross-origin frame that is outside the window.
    fullPage: !name.startsWith("start-playground"),
    async onTaken(theme) {
      if (name === "overview-desktop") await screenshotFlow(page, theme);
      if (name !== stored.name) return;
      await page.setViewportSize({ ...sizes.desktop, height: stored.height });
      const path = resolve(import.meta.dirname, `${stored.as}-${theme}.png`);
      await page.screenshot({ path });
      await page.setViewportSize(sizes.desktop);
    },
  });
}

function nameOf({ route, state = "", openedBy }: DashboardPage): string {
  const place = openedBy === "operator" ? "operator " : "";
  return `${place}${route} ${state}`
    .replaceAll("$account/$mode", "overview")
    .replaceAll(/[^\w]+/g, "-")
    .replace(/-$/, "");
}
