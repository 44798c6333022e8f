import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { journey } from "./journey.ts";
import { callApi, createAccount } from "./person.ts";
import { waitUntilLoaded } from "./visit-dashboard-pages.ts";

const phone = { width: 390, height: 844 };

/** Signs up a merchant, and opens its dashboard on a phone. */
async function openOnPhone(browser: Parameters<typeof createAccount>[0]) {
  const { page } = await createAccount(browser);
  await page.setViewportSize(phone);
  return { page, home: page.url().replace(/\/test.*/, "/test") };
}

/** Returns the visible text of the first row of a list. */
async function firstRowOf(page: Page, list: string): Promise<string> {
  await waitUntilLoaded(page);
  return visibleText(page.getByRole("table", { name: list, exact: true }).locator("tbody tr"));
}

/** Returns the text of the first of the elements, without hidden text. */
async function visibleText(elements: Locator): Promise<string> {
  const [text = ""] = await elements.allInnerTexts();
  return text.replace(/\s+/g, " ");
}

journey("a list on a phone shows hidden columns in a second line of the row", async (browser) => {
  const { page, home } = await openOnPhone(browser);
  await callApi(page, "/rules", {
    expression: "amount > 1",
    outcome: "review",
    status: "disabled",
  });
  await callApi(page, "/customers", { name: "Ada Lovelace", email: "ada@example.com" });
  const charge = await callApi<{ id: string }>(page, "/charges", {
    ...{ amount: 1_234_500, currency: "usd", payment_method_id: "pm_card_visa" },
  });
  await callApi(page, "/refunds", { charge_id: charge.id, amount: 100_000 });

  await page.goto(`${home}/rules`);
  assert.match(await firstRowOf(page, "Rules"), /amount > 1 Review Disabled/);
  await page.goto(`${home}/customers`);
  assert.match(await firstRowOf(page, "Customers"), /Ada Lovelace ada@example\.com/);
  await page.goto(`${home}/refunds`);
  assert.match(await firstRowOf(page, "Refunds"), /\$1,000\.00 USD Succeeded ch_….{8}/);
  await page.goto(`${home}/payments/${charge.id}`);
  const entries = page.getByRole("table", { name: "Ledger entries" });
  await entries.getByText("\u2212$1,000.00").waitFor();
  assert.match(
    await visibleText(entries),
    /Refund Debit: Merchant balance Credit: Acquirer receivable \u2212\$1,000\.00/,
  );
  await page.goto(`${home.replace(/\/acct_.*/, "")}/settings/security`);
  assert.match(await firstRowOf(page, "Your sessions"), /This browser [\d.:a-f]+ /);
});

journey("a long text without spaces leaves room for the other columns", async (browser) => {
  const { page, home } = await openOnPhone(browser);
  const long = "W".repeat(120);
  await callApi(page, "/customers", { name: long, email: "grace@example.com" });
  await callApi(page, "/rules", {
    ...{ expression: "amount > 1", outcome: "review", status: "disabled", description: long },
  });
  await callApi(page, "/webhook_endpoints", {
    ...{ url: "https://shop.example/hooks", enabled_events: ["*"], description: long },
  });
  for (const [path, list] of [
    ["customers", "Customers"],
    ["rules", "Rules"],
    ["webhooks", "Webhook endpoints"],
  ] as const) {
    await page.goto(`${home}/${path}`);
    await waitUntilLoaded(page);
    const hidden = await page
      .getByRole("table", { name: list, exact: true })
      .evaluate(({ parentElement: container }) =>
        container ? container.scrollWidth - container.clientWidth : 0,
      );
    assert.equal(hidden, 0, `${hidden} pixels of ${list} are hidden`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`${home}/customers`);
  await waitUntilLoaded(page);
  const email = page.getByRole("cell").getByText("grace@example.com").filter({ visible: true });
  assert.ok((await heightOf(email)) < 30, "the email address wraps");
});

journey("the name of a customer is beside the amount, not beside its currency", async (browser) => {
  const { page, home } = await openOnPhone(browser);
  const customer = await callApi<{ id: string }>(page, "/customers", { name: "Ada Lovelace" });
  await callApi(page, "/charges", {
    ...{ amount: 1000, currency: "usd", payment_method_id: "pm_card_visa" },
    customer_id: customer.id,
  });
  await page.goto(`${home}/customers`);
  await waitUntilLoaded(page);
  const row = page.getByRole("row").filter({ hasText: "$10.00" });
  const name = await bottomOf(row.getByText("Ada Lovelace"));
  const amount = await bottomOf(row.locator("bdi").first());
  assert.ok(Math.abs(name - amount) < 6, `the name ends at ${name}, the amount at ${amount}`);
});

journey("an amount and its currency code do not wrap on a phone", async (browser) => {
  const { page, home } = await openOnPhone(browser);
  await callApi(page, "/charges", {
    ...{ amount: 1_234_567, currency: "usd", payment_method_id: "pm_card_visa" },
  });
  for (const [path, list] of [
    ["payments", "Payments"],
    ["balance", "Balance transactions"],
  ] as const) {
    await page.goto(`${home}/${path}`);
    await waitUntilLoaded(page);
    const amount = page.getByRole("table", { name: list }).locator("tbody td").first();
    assert.match(await visibleText(amount), /USD/);
    const currency = amount.getByText("USD");
    const height = await heightOf(amount.locator("bdi").first());
    const { top, bottom } = await currency.evaluate((element) => element.getBoundingClientRect());
    assert.ok(bottom - top <= height + 1, `the currency in ${list} wraps`);
  }
});

journey("a refunded payment shows its net amount", async (browser) => {
  const { page } = await createAccount(browser);
  const home = page.url().replace(/\/test.*/, "/test");
  const charge = await callApi<{ id: string }>(page, "/charges", {
    ...{ amount: 9_600, currency: "usd", payment_method_id: "pm_card_visa" },
  });
  await callApi(page, "/refunds", { charge_id: charge.id, amount: 2_500 });
  await page.goto(`${home}/payments/${charge.id}`);
  const details = page.getByRole("region", { name: "Details" });
  await details.getByText("Net", { exact: true }).waitFor();
  assert.match(
    await visibleText(details),
    /Captured \$96\.00 Refunded \u2212\$25\.00 Fees \u2212\$3\.08 Net \$67\.92/,
  );
});

journey("the buttons of a dialog that is taller than a phone stay visible", async (browser) => {
  const { page, home } = await openOnPhone(browser);
  await page.goto(`${home}/api-keys`);
  await page.getByRole("button", { name: "Create key" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Access").selectOption("Accept payments");
  const isScrolled = await dialog.evaluate(
    ({ scrollHeight, clientHeight }) => scrollHeight > clientHeight,
  );
  assert.ok(isScrolled);
  const submit = dialog.getByRole("button", { name: "Create key" });
  const { top, bottom } = await submit.evaluate((element) => element.getBoundingClientRect());
  assert.ok(top > 0 && bottom < phone.height, `the button is at ${top} to ${bottom}`);
  // The keyboard does not move the focus to a field behind the buttons.
  const last = dialog.getByRole("radio").last();
  await last.focus();
  assert.ok((await bottomOf(last.locator(".."))) <= top);
});

journey(
  "the sidebar marks the overview, even if the overview's URL ends with a slash",
  async (browser) => {
    const { page } = await createAccount(browser);
    const home = page.url().replace(/\/test.*/, "/test");
    const current = page.getByRole("navigation", { name: "Pages" }).locator("[aria-current=page]");
    for (const address of [home, `${home}/`]) {
      await page.goto(address);
      await waitUntilLoaded(page);
      assert.deepEqual(await current.allInnerTexts(), ["Overview"]);
    }
  },
);

const heightOf = (element: Locator) =>
  element.evaluate((element) => element.getBoundingClientRect().height);
const bottomOf = (element: Locator) =>
  element.evaluate((element) => element.getBoundingClientRect().bottom);
