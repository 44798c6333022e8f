import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { pay, validCard, waitForText } from "./customer.ts";
import { journey } from "./journey.ts";
import { createSession } from "./merchant-api.ts";
import { signInToDemo } from "./person.ts";
import { florin } from "./running-florin.ts";

type Created = { readonly id: string };

journey(
  "a disputed payment links to its dispute with the deadline, and is found by its status",
  async (browser) => {
    const { id } = await charge({ amount: 4321, description: "Order 4321" });
    const about = { charge_id: id, reason: "product_not_received" };
    await florin.api("POST", "/test_helpers/disputes", about);
    const { page, home } = await signInToDemo(await browser.newPage());
    await chooseStatus(page, home, "Disputed");
    const row = page.getByRole("row").filter({ hasText: "$43.21" });
    await row.getByText("Disputed", { exact: true }).waitFor();
    await row.getByRole("link").click();
    await page.getByRole("link", { name: /^Respond by / }).click();
    await page.waitForURL(/\/disputes\/dp_/);
  },
);

journey(
  "a refund in the dashboard appears in the timeline with its actor without a reload, and in the list of refunds",
  async (browser) => {
    const { id } = await charge({ amount: 4322, description: "Order 4322" });
    const { page, home } = await signInToDemo(await browser.newPage());
    await page.goto(`${home}/payments/${id}`);
    await page.getByRole("button", { name: "Refund" }).click();
    const dialog = page.getByRole("dialog");
    // The error at the amount disappears as soon as the amount is valid.
    await dialog.getByLabel("Amount in USD").fill("43.23");
    await dialog.getByRole("button", { name: "Refund" }).click();
    await dialog.getByRole("alert").waitFor();
    await dialog.getByLabel("Amount in USD").fill("43.22");
    await dialog.getByRole("alert").waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Refund" }).click();
    await page.getByText("$43.22 refunded.").waitFor();
    await page.getByText(`by ${florin.demoPerson.email}`).waitFor();
    const refunds = page.getByRole("table", { name: "Refunds of this payment" });
    await refunds.getByRole("link", { name: "$43.22" }).click();
    await page.waitForURL(/\/refunds\/re_/);

    await chooseStatus(page, home, "Partially refunded", "Refunded");
    const row = page.getByRole("row").filter({ hasText: "$43.22" });
    await row.getByText("Refunded", { exact: true }).waitFor();
  },
);

journey(
  "the list of payments shows its length, loads new payments on demand, and keeps the chosen columns",
  async (browser) => {
    for (let count = 0; count < 26; count += 1) await charge({ amount: 4_325 + count });
    const { page, home } = await signInToDemo(await browser.newPage());
    await page.goto(`${home}/payments`);
    const { count } = await florin.api<{ count: number }>("GET", "/charges/count");
    await page.getByText(`1–25 of ${count}`, { exact: true }).waitFor();
    const load = Promise.withResolvers<void>();
    await page.route(/starting_after/, async (route) => {
      await load.promise;
      await route.continue();
    });
    await page.getByRole("button", { name: "Next" }).click();
    await page.waitForURL(/after=/);
    // A second click before the next page has loaded opens the same page again.
    await page.getByRole("button", { name: "Next" }).click();
    load.resolve();
    // Earlier journeys create payments too, so the second page may be full.
    await page.getByText(`26–${Math.min(count, 50)} of ${count}`, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Previous" }).click();
    await page.getByText(`1–25 of ${count}`, { exact: true }).waitFor();

    await page.goto(`${home}/payments`);
    const table = page.getByRole("table", { name: "Payments" });
    await table.getByRole("row").nth(25).waitFor();
    await charge({ amount: 9_871, client_reference_id: "order 9871" });
    await page.getByRole("button", { name: "1 new" }).waitFor();
    assert.equal(await table.getByText("$98.71").count(), 0);
    await page.getByRole("button", { name: "1 new" }).click();
    await table.getByText("$98.71").waitFor();
    await page.getByRole("button", { name: "1 new" }).waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Card" }).click();
    await table.getByRole("columnheader", { name: "Card" }).waitFor({ state: "detached" });
    await page.reload();
    await table.getByText("$98.71").waitFor();
    assert.equal(await table.getByRole("columnheader", { name: "Card" }).count(), 0);

    await page.getByRole("searchbox", { name: "Email, last 4" }).fill("order 9871");
    await page.keyboard.press("Enter");
    await page.getByText("1–1 of 1", { exact: true }).waitFor();
  },
);

journey(
  "the list of payments shows the email address of a guest, who gets a receipt on request",
  async (browser) => {
    const guest = "guest4398@example.com";
    const { embed_url } = await createSession({ amount: 4_398, customer_email: guest });
    const form = await browser.newPage();
    await form.goto(embed_url);
    await pay(form, validCard);
    await waitForText(form, "Payment complete");

    const { page, home } = await signInToDemo(await browser.newPage());
    // The width of a window of 1280 pixels without its scroll bar. Narrower windows hide the column with the customers.
    await page.setViewportSize({ width: 1263, height: 800 });
    await page.goto(`${home}/payments`);
    const row = page.getByRole("row").filter({ hasText: "$43.98" });
    await row.getByText(guest).waitFor();
    await row.getByRole("link").first().click();
    await page.getByText("No receipt was sent in the last 90 days.").waitFor();
    await page.getByRole("button", { name: "Send receipt" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText(`Receipt for ${guest} created.`).waitFor();
    await page.getByRole("region", { name: "Receipts" }).getByText(guest).waitFor();
  },
);

journey("a payment in review is approved on its page", async (browser) => {
  const { id } = await charge({
    amount: 4323,
    description: "Order 4323",
    payment_method_id: "pm_card_riskLevelElevated",
  });
  const { page, home } = await signInToDemo(await browser.newPage());
  await chooseStatus(page, home, "In review");
  const row = page.getByRole("row").filter({ hasText: "$43.23" });
  await row.getByText("In review", { exact: true }).waitFor();
  await page.goto(`${home}/payments/${id}`);
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
  await page.getByText("Payment of $43.23 approved.").waitFor();
  await page.getByText("Succeeded", { exact: true }).first().waitFor();
  assert.equal(await page.getByRole("button", { name: "Approve" }).count(), 0);
});

journey("a declined payment shows its reason, and why it cannot be refunded", async (browser) => {
  const declined = {
    amount: 4324,
    description: "Order 4324",
    payment_method_id: "pm_card_chargeDeclinedInsufficientFunds",
  };
  await charge(declined).catch(() => null);
  const { page, home } = await signInToDemo(await browser.newPage());
  await page.goto(`${home}/payments`);
  const row = page.getByRole("row").filter({ hasText: "$43.24" });
  await row.getByText("Insufficient funds").waitFor();
  await row.getByRole("link").click();
  await page.getByText("Not refundable. The payment was never captured.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Refund" }).count(), 0);
});

journey("at most two toasts are shown, and each can be dismissed", async (browser) => {
  const { id } = await florin.api<Created>("POST", "/webhook_endpoints", {
    url: "http://127.0.0.1:9/toasts",
  });
  const { page, home } = await signInToDemo(await browser.newPage());
  await page.goto(`${home}/webhooks/${id}`);
  const ping = page.getByRole("button", { name: "Send ping" });
  const dismiss = page.getByRole("button", { name: "Dismiss" });
  for (let sent = 0; sent < 3; sent++) {
    await ping.click();
    await page.getByRole("link", { name: "ping" }).nth(sent).waitFor();
  }
  assert.ok((await dismiss.count()) <= 2);
  await ping.click();
  await dismiss.first().waitFor();
  while ((await dismiss.count()) > 0) await dismiss.first().click();
});

journey("a rule with a misspelled field names the place and the nearest field", async (browser) => {
  const { page, home } = await signInToDemo(await browser.newPage());
  await page.goto(`${home}/rules`);
  await page.getByRole("button", { name: "Create rule" }).first().click();
  await page.getByLabel("Condition").fill("off_session && amout > 5");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("unknown field amout at character 16. Did you mean amount?").waitFor();
});

async function charge(params: object): Promise<Created> {
  const body = { currency: "usd", payment_method_id: "pm_card_visa", ...params };
  return florin.api<Created>("POST", "/charges", body);
}

async function chooseStatus(page: Page, home: string, ...statuses: string[]): Promise<void> {
  await page.goto(`${home}/payments`);
  await page.getByRole("button", { name: "Status", exact: true }).click();
  for (const status of statuses) await page.getByLabel(status, { exact: true }).check();
  await page.getByRole("button", { name: "Apply" }).click();
}
