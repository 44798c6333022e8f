import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { fillMerchant } from "./fill-merchant.ts";
import { journey } from "./journey.ts";
import { signIn } from "./person.ts";
import { florin } from "./running-florin.ts";
import { waitUntilLoaded } from "./visit-dashboard-pages.ts";

journey(
  "a merchant compares approval rates, and sees declines, fees and suggestions",
  async (browser) => {
    await fillMerchant();
    await reconcileToday();
    const page = await browser.newPage();
    await signIn(page, florin.demoPerson);
    await page.waitForURL(/\/dashboard\/acct_\w+\/test/);
    await page.goto(`${page.url().replace(/\/test.*$/, "/test")}/approvals`);
    await waitUntilLoaded(page);

    const rowOf = (table: string, name: string) =>
      page
        .getByRole("region", { name: table, exact: true })
        .getByRole("row")
        .filter({ hasText: name });
    await rowOf("Connections", "Simulator").waitFor();
    await rowOf("Issuing countries", "United States").waitFor();
    const suggestions = page.getByRole("region", { name: "Suggestions", exact: true });
    await suggestions
      .getByText(
        "Cards from Germany are approved 8.0 percentage points more often over Adyen than over Stripe.",
      )
      .waitFor();
    await suggestions.getByText("Visa cards cost 0.35 percentage points less over Adyen").waitFor();
    // Only Visa cards are declined in the demo.
    assert.match(await textOf(rowOf("Card networks", "Mastercard")), /100\.0%/);
    assert.doesNotMatch(await textOf(rowOf("Card networks", "Visa")), /100\.0%/);
    assert.match(await textOf(rowOf("Decline reasons", "Insufficient funds")), /\d%/);
    assert.match(await textOf(rowOf("Costs", "Mastercard")), /\d\.\d\d%/);

    // A filter limits every figure of the page, and is part of the URL.
    await chooseNetwork(page, "Mastercard");
    await page.getByText("No declined payments in this period.").waitFor();
    assert.match(page.url(), /network=mastercard/);
    assert.equal(await rowOf("Card networks", "Visa").count(), 0);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await rowOf("Card networks", "Visa").waitFor();

    // A decline reason links to its payments.
    await rowOf("Decline reasons", "Insufficient funds").getByRole("link").click();
    await page.waitForURL(/\/payments\?decline_code=insufficient_funds/);
  },
  120_000,
);

/** Downloads the settlement file that contains the fees of the newest payments. */
async function reconcileToday(): Promise<void> {
  const { data } = await florin.api<{ data: { created: number }[] }>("GET", "/charges?limit=1");
  const day = new Date((data[0]?.created ?? 0) * 1000).toISOString().slice(0, 10);
  await florin.api("POST", "/reconciliations", { day });
}

async function textOf(row: Locator): Promise<string> {
  return (await row.textContent()) ?? "";
}

async function chooseNetwork(page: Page, network: string): Promise<void> {
  await page.getByRole("search", { name: "Filters" }).getByText("Card network").click();
  await page.getByRole("radio", { name: network }).check();
  await page.getByRole("button", { name: "Apply" }).click();
}
