import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { fillMerchant } from "./fill-merchant.ts";
import { journey } from "./journey.ts";
import { signIn } from "./person.ts";
import { florin } from "./running-florin.ts";
import { waitUntilLoaded } from "./visit-dashboard-pages.ts";

type Charge = { readonly id: string; readonly status: string };
const risky = { currency: "usd", payment_method_id: "pm_card_riskLevelElevated" };

journey(
  "a reviewer approves one payment and declines another with the keyboard, and money moves accordingly",
  async (browser) => {
    await fillMerchant();
    const customer = await florin.api<{ id: string }>("POST", "/customers", {
      name: "Grace",
      email: "grace@example.com",
    });
    const order = { ...risky, customer_id: customer.id, description: "Moon vase" };
    const approved = await florin.api<Charge>("POST", "/charges", { ...order, amount: 71_100 });
    const declined = await florin.api<Charge>("POST", "/charges", { ...risky, amount: 61_100 });
    const page = await openPage(await browser.newPage(), "reviews");
    const review = (amount: string) => page.getByRole("listitem").filter({ hasText: amount });

    // The hold that expires first is at the top.
    await review("$711.00").getByText("Grace, grace@example.com").waitFor();
    await review("$711.00").getByText("Moon vase").waitFor();
    await review("$711.00")
      .getByText(/Hold: \d/)
      .waitFor();
    const amounts = await page.getByRole("listitem").allInnerTexts();
    const placeOf = (amount: string) => amounts.findIndex((text) => text.includes(amount));
    assert.ok(placeOf("$711.00") < placeOf("$611.00"), "a later hold is above an earlier one");

    // The A key approves the payment, and Enter confirms.
    await review("$711.00").getByRole("button", { name: "Approve" }).focus();
    await page.keyboard.press("a");
    await page.getByRole("dialog", { name: "Approve $711.00" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("Payment of $711.00 approved.").waitFor();
    assert.equal(await statusOf(approved), "succeeded");

    await page.getByText("$711.00").first().waitFor({ state: "detached" });
    await review("$611.00").getByRole("button", { name: "Approve" }).focus();
    await page.keyboard.press("d");
    await page.getByRole("dialog", { name: "Decline $611.00" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("Payment of $611.00 declined.").waitFor();
    assert.equal(await statusOf(declined), "canceled");
  },
  120_000,
);

journey(
  "a rule is tested on past payments, enabled, applied and deleted, and a blocked customer cannot pay",
  async (browser) => {
    await florin.api("POST", "/charges", {
      amount: 77_700,
      currency: "usd",
      payment_method_id: "pm_card_visa",
    });
    const page = await openPage(await browser.newPage(), "rules");
    await page.getByRole("button", { name: "Create rule" }).first().click();
    await page.getByLabel("Condition").fill("amount == 77700");
    await page.getByRole("button", { name: "Test on past payments" }).click();
    await page.getByText(/Matches \d+ of \d+ payments/).waitFor();
    await page.getByLabel("Action", { exact: true }).selectOption("decline");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Rule saved and enabled.").waitFor();

    const charged = await charge(77_700);
    assert.match(charged, /blocked_by_rule|fraudulent|card_declined/);

    const row = page.getByRole("row").filter({ hasText: "amount == 77700" });
    await row.getByRole("button", { name: "Actions for amount == 77700" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("Rule deleted.").waitFor();
    assert.match(await charge(77_700), /ch_/);

    // The field for the condition shows the error in the condition.
    await page.getByRole("button", { name: "Create rule" }).first().click();
    await page.getByLabel("Condition").fill("amount >");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator("textarea[aria-invalid=true]").waitFor();
    await page.keyboard.press("Escape");

    const customer = await florin.api<{ id: string }>("POST", "/customers", { name: "Eve" });
    assert.match(await charge(5_000, customer.id), /^ch_/);
    await page.getByRole("link", { name: "Lists" }).first().click();
    await page.getByRole("button", { name: "Add entry" }).click();
    const dialog = page.getByRole("dialog", { name: "Add list entry" });
    await dialog.getByLabel("Attribute").selectOption("customer_id");
    await dialog.getByLabel("Value").fill(customer.id);
    await dialog.getByRole("button", { name: "Add" }).click();
    await page.getByRole("row").filter({ hasText: customer.id }).waitFor();
    assert.match(await charge(5_000, customer.id), /"card_error"/);
  },
  120_000,
);

journey(
  "the available balance is paid out, and a day is reconciled with the acquirer's settlement",
  async (browser) => {
    await fillMerchant();
    const page = await openPage(await browser.newPage(), "balance");
    await page.getByRole("button", { name: "Pay out" }).click();
    const dialog = page.getByRole("dialog", { name: "Pay out" });
    await dialog.getByLabel("Currency").selectOption("eur");
    await dialog.getByLabel("Amount").fill("12.34");
    await dialog.getByRole("button", { name: "Pay out" }).click();
    await page.getByText("Payout of €12.34 created.").waitFor();
    await page.getByRole("link", { name: "Payouts" }).first().click();
    await page.getByRole("row").filter({ hasText: "€12.34" }).first().waitFor();

    await page.getByRole("link", { name: "Reconciliation" }).click();
    await page.getByRole("button", { name: "Reconcile day" }).first().click();
    await page.getByRole("button", { name: "Reconcile", exact: true }).click();
    // The settlement file contains a payment of $25.00 that the service never requested.
    await page
      .getByText(/The acquirer settled 25\.00 USD under ch_/)
      .first()
      .waitFor();
  },
  120_000,
);

async function openPage(page: Page, path: string): Promise<Page> {
  await signIn(page, florin.demoPerson);
  await page.waitForURL(/\/dashboard\/acct_\w+\/test/);
  await page.goto(`${page.url().replace(/\/test.*$/, "/test")}/${path}`);
  await waitUntilLoaded(page);
  return page;
}

async function statusOf({ id }: Charge): Promise<string> {
  return (await florin.api<Charge>("GET", `/charges/${id}`)).status;
}

/** Creates a charge. Returns its ID, or the error as a string. */
function charge(amount: number, customer?: string): Promise<string> {
  const params = { amount, currency: "usd", payment_method_id: "pm_card_visa" };
  const body = customer ? { ...params, customer_id: customer } : params;
  return florin.api<Charge>("POST", "/charges", body).then(
    ({ id }) => id,
    (error) => String(error),
  );
}
