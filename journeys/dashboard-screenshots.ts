import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
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
    await payInShop(browser);
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
  const path = resolve(import.meta.dirname, `../docs/images/payment-flow-${colorScheme}.png`);
  await flow.screenshot({ path });
}

async function screenshotInBothThemes(page: Page, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    // Scroll to the top first. Otherwise a sticky element would appear in the middle of the full-page screenshot.
    await page.evaluate(() => window.scrollTo(0, 0));
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(200);
    await page.screenshot({ path: join(directory, `${name}-${colorScheme}.png`), fullPage: true });
    if (name === "overview-desktop") await screenshotFlow(page, colorScheme);
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
