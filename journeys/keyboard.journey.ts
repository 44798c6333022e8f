import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { fillMerchant } from "./fill-merchant.ts";
import { journey } from "./journey.ts";
import { florin } from "./running-florin.ts";
import { waitUntilLoaded } from "./visit-dashboard-pages.ts";

journey("a user without a mouse signs in, finds a payment and refunds it", async (browser) => {
  const { held } = await fillMerchant();
  const page = await browser.newPage();
  const { keyboard } = page;
  await page.goto(`${florin.dashboardUrl}/sign-in`);
  await page.getByLabel("Email address").waitFor();
  await tabTo(page, "Email address");
  await keyboard.type(florin.demoPerson.email);
  await tabTo(page, "Password");
  await keyboard.type(florin.demoPerson.password);
  await keyboard.press("Enter");
  await page.waitForURL(/\/dashboard\/acct_\w+\/test/);
  await waitUntilLoaded(page);

  // The question mark lists the shortcuts, and two keys open a page.
  await keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("Disputes").waitFor();
  await keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  // Sends both keys at once, because the dashboard ignores the second key if it follows too late.
  await Promise.all([keyboard.press("g"), keyboard.press("d")]);
  await page.getByRole("heading", { name: "Disputes", level: 1 }).waitFor();
  await waitUntilLoaded(page);

  // Search for a payment by its reference, and open the dialog that refunds it.
  await keyboard.press("/");
  await page.getByRole("dialog").getByRole("combobox").waitFor();
  await keyboard.type("Refund order=1007");
  const refund = page.getByRole("option", { name: "Refund $130.31" });
  await refund.first().waitFor();
  await keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Refund payment" }).waitFor();
  await keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await waitUntilLoaded(page);

  // Open a page by name in the command palette.
  await keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("combobox").waitFor();
  await keyboard.type("paym");
  await keyboard.press("ArrowDown");
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: "Payments", level: 1 }).waitFor();
  await waitUntilLoaded(page);

  // Move between table rows, and open a row.
  await tabUntil(page, () => document.activeElement?.hasAttribute("data-row") === true);
  await keyboard.press("ArrowDown");
  await keyboard.press("ArrowUp");
  await keyboard.press("Enter");
  await page.waitForURL(/payments\/ch_/);
  await waitUntilLoaded(page);

  // Open a payment by its ID.
  await keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("combobox").waitFor();
  await keyboard.type(held);
  await keyboard.press("Enter");
  await page.waitForURL(new RegExp(held));
  await waitUntilLoaded(page);

  await tabTo(page, "Capture");
  await keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Capture" }).waitFor();
  // The dialog focuses its first field, and Escape returns the focus.
  await waitForFocus(page, "Amount in USD");
  await keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await waitForFocus(page, "Capture");
  await waitUntilLoaded(page);

  await keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Capture" }).waitFor();
  await keyboard.press("Control+a");
  await keyboard.type("100");
  await keyboard.press("Enter");
  await page.getByText("$100.00 captured.").waitFor();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  // The button keeps the focus and explains why the payment cannot be captured again.
  await waitForFocus(page, "Capture");
  await page.getByRole("tooltip", { name: "The payment is already captured." }).waitFor();
  await waitUntilLoaded(page);

  await tabTo(page, "Refund");
  await keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Refund" }).waitFor();
  await tabTo(page, "Cancel");
  await keyboard.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await waitForFocus(page, "Refund");

  await keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Refund" }).waitFor();
  await keyboard.press("Control+a");
  await keyboard.type("200");
  await keyboard.press("Enter");
  // After the error about the amount, the field keeps the focus.
  await page.getByText("You can refund at most $100.00.").waitFor();
  await keyboard.press("Control+a");
  await keyboard.type("25");
  await keyboard.press("Enter");
  await page.getByText("$25.00 refunded.").waitFor();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await waitForFocus(page, "Refund");
  const charge = await florin.api<{ amount_refunded: number }>("GET", `/charges/${held}`);
  assert.equal(charge.amount_refunded, 2_500);
});

/** Returns the accessible name of the focused element. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement | null;
    return (element?.labels?.[0] ?? element)?.textContent?.trim() ?? "";
  });
}

/** Waits until the element has the focus, which moves after a dialog is removed. */
async function waitForFocus(page: Page, name: string): Promise<void> {
  while ((await focused(page)) !== name) await page.waitForTimeout(20);
}

async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if ((await focused(page)) === name) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`the Tab key does not reach ${name}`);
}

async function tabUntil(page: Page, isThere: () => boolean): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if (await page.evaluate(isThere)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail("the Tab key does not reach the element");
}
