import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { journey } from "./journey.ts";
import { becomeOperator } from "./operator.ts";
import { createAccount, otherBrowser } from "./person.ts";
import { florin } from "./running-florin.ts";

journey(
  "an operator sets up Google Pay and Apple Pay for a merchant, and removes a key",
  async (browser) => {
    const { page: merchant } = await createAccount(browser);
    const account = /acct_\w+/.exec(merchant.url())?.[0];
    const page = await becomeOperator(await otherBrowser(browser));
    await page.goto(`${florin.dashboardUrl}/operator/accounts/${account}`);
    await page.getByRole("link", { name: "Google Pay and Apple Pay" }).click();

    const google = page.getByRole("region", { name: "Google Pay" });
    await google.getByRole("button", { name: "Set up Google Pay" }).click();
    await page.getByLabel("Merchant ID").fill("BCR2DN4TXYZ");
    await page.getByLabel("Name on the payment sheet").fill("Lamps");
    await confirm(page, "Save", "Settings saved.");
    // Without a key, the card form would show a button whose payments fail.
    await google.getByText("No payment processing key is active.").waitFor();
    await google.getByRole("button", { name: "Create key" }).click();
    await confirm(page, "Create key", "Key created.");
    assert.match(await textOf(google.getByRole("region", { name: "public key" })), /^B[\w+/=\s]+$/);
    await google.getByRole("button", { name: "Activate" }).click();
    await confirm(page, "Activate", "Key activated.");
    await google.getByText("No payment processing key is active.").waitFor({ state: "detached" });
    await google.getByText("FLORIN_WALLETS_URL is not set.").waitFor();

    const apple = page.getByRole("region", { name: "Apple Pay" });
    await apple.getByRole("button", { name: "Set up Apple Pay" }).click();
    await page.getByLabel("Merchant identifier").fill("merchant.com.lamps");
    await page.getByLabel("Name on the payment sheet").fill("Lamps");
    await page.getByLabel("Domains").fill("lamps.example");
    await confirm(page, "Save", "Settings saved.");
    await apple.getByRole("button", { name: "Create key" }).first().click();
    await confirm(page, "Create key", "Key created.");
    const downloading = page.waitForEvent("download");
    await apple.getByRole("button", { name: "Download certificate request" }).click();
    const request = await readFile(await (await downloading).path(), "utf8");
    assert.match(request, /^-----BEGIN CERTIFICATE REQUEST-----/);

    // Uploads the request instead of a certificate that Apple issued for this key. The dialog stays open and shows the
    // reason for the rejection.
    await apple.getByRole("button", { name: "Upload certificate" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Certificate").setInputFiles({
      name: "request.pem",
      mimeType: "application/x-pem-file",
      buffer: Buffer.from(request),
    });
    await dialog.getByLabel("Reason").fill("Agreed with the merchant.");
    await dialog.getByRole("button", { name: "Upload" }).click();
    await dialog.locator("[aria-invalid=true], [role=alert]").first().waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();

    await apple.getByRole("button", { name: /^Remove payment processing key/ }).click();
    await confirm(page, "Remove key", "Key removed.");
    await apple.getByRole("heading", { name: "Keys" }).waitFor({ state: "detached" });
  },
);

/** Gives a reason in the dialog, confirms it, and waits for the message. */
async function confirm(page: Page, button: string, done: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("Agreed with the merchant.");
  await dialog.getByRole("button", { name: button, exact: true }).click();
  await page.getByText(done).first().waitFor();
  await dialog.waitFor({ state: "detached" });
}

async function textOf(element: Locator): Promise<string> {
  return (await element.textContent()) ?? "";
}
