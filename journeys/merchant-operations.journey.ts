import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { evidencePdf } from "@florin/server/test/evidence-file.ts";
import type { Page } from "playwright-core";
import { journey } from "./journey.ts";
import { becomeOperator } from "./operator.ts";
import { callApi, createAccount, signInToDemo } from "./person.ts";
import { florin } from "./running-florin.ts";

type Created = { readonly id: string };

journey(
  "evidence for a dispute is drafted, reviewed and submitted once with a file, and another dispute is accepted",
  async (browser) => {
    const disputes = [await createDispute(), await createDispute()];
    const { page, home } = await signInToDemo(await browser.newPage());

    await page.goto(`${home}/disputes`);
    await page.getByRole("heading", { name: "Needs response" }).waitFor();
    await page.getByText("13 days 23 hours left").first().waitFor();
    await page.goto(`${home}/disputes/${disputes[0]}`);
    assert.match(await page.getByLabel("Receipt").inputValue(), /Amount: 42\.00 USD/);
    await page.getByLabel("Shipping carrier").fill("Hermes");
    await page.getByLabel("Tracking number").fill("H 1234");
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByText("Draft saved.").waitFor();
    await page.reload();
    assert.equal(await page.getByLabel("Tracking number").inputValue(), "H 1234");
    await page.getByLabel("Add files").setInputFiles({
      name: "not a pdf.pdf",
      mimeType: "application/pdf",
      buffer: Buffer.from("<html>"),
    });
    await page.getByText("must be a PDF, PNG or JPEG").waitFor();
    const file = { name: "delivery.pdf", mimeType: "application/pdf", buffer: evidencePdf };
    await page.getByLabel("Add files").setInputFiles(file);
    await page.getByText("1 KB · 1 page").waitFor();

    await page.getByRole("button", { name: "Review evidence" }).click();
    await page.getByRole("heading", { name: "Review evidence" }).waitFor();
    await page.getByText("delivery.pdf").waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download PDF" }).click();
    assert.match((await download).suggestedFilename(), /^evidence-dp_.*\.pdf$/);
    const submit = page.getByRole("button", { name: "Submit evidence" });
    await submit.click({ force: true });
    await page.getByLabel("This evidence is complete and correct.").check();
    await submit.dblclick();
    await page.getByText("The card network is reviewing your evidence").waitFor();
    await page.getByText("H 1234").waitFor();
    await page.getByText("delivery.pdf").waitFor();
    assert.equal(await submit.count(), 0);

    await page.goto(`${home}/disputes/${disputes[1]}`);
    await page.getByRole("button", { name: "Accept dispute", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Accept dispute" }).click();
    await page.getByText("You lost this dispute.").waitFor();
  },
);

journey("an ambiguous amount in a three-decimal currency is not refunded", async (browser) => {
  const visa = { amount: 1_233_567, currency: "kwd", payment_method_id: "pm_card_visa" };
  const charge = await florin.api<Created>("POST", "/charges", visa);
  const { page, home } = await signInToDemo(await browser.newPage());
  await page.goto(`${home}/payments/${charge.id}`);
  await page.getByRole("button", { name: "Refund" }).click();
  const dialog = page.getByRole("dialog", { name: "Refund" });
  await dialog.getByLabel("Amount in KWD").fill("1,000");
  await dialog.getByRole("button", { name: "Refund" }).click();
  await dialog.getByText("can mean 1.000 KWD or 1,000.000 KWD").waitFor();
  assert.equal(await page.locator("input:focus").getAttribute("name"), "amount");
  await dialog.getByLabel("Amount in KWD").fill("1,000.000");
  await dialog.getByRole("button", { name: "Refund 1,000.000 KWD" }).click();
  await page.getByText("1,000.000 KWD refunded.").waitFor();
});

journey("a customer is created, edited, found by email address and deleted", async (browser) => {
  const { page, home } = await signInToDemo(await browser.newPage());
  const email = `grace.${process.pid}@example.com`;
  await page.goto(`${home}/customers`);
  await page.getByRole("button", { name: "Create customer" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Grace");
  await dialog.getByLabel("Email").fill("no address");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel("Email").fill(email);
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByText("Customer created.").waitFor();

  await page.getByRole("searchbox", { name: "Name or email" }).fill(email.toUpperCase());
  await page.keyboard.press("Enter");
  await page.waitForURL(/search=/);
  await page.getByRole("link", { name: "Grace" }).click();
  await page.getByRole("button", { name: "Edit" }).click();
  await dialog.getByLabel("Name").fill("Grace Hopper");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Grace Hopper" }).waitFor();

  await page.getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.waitForURL(/\/customers$/);
  await page.goto(`${home}/customers?search=${email}`);
  await page.getByText("No matching customers").waitFor();
});

journey(
  "a failing endpoint is flagged on every page that lists it, and a ping and a resend are sent immediately",
  async (browser) => {
    const path = "/webhook_endpoints";
    const { id } = await florin.api<Created>("POST", path, { url: "http://127.0.0.1:9/dead" });
    for (let failures = 0; failures < 12; failures++) {
      await florin.api("POST", `${path}/${id}/ping`, {});
      await until(async () => {
        const endpoint = await florin.api<{ failures: number }>("GET", `${path}/${id}`);
        return endpoint.failures > failures;
      });
    }
    const { page, home } = await signInToDemo(await browser.newPage());
    await page.goto(home);
    await page.getByRole("link", { name: "1 webhook endpoint is failing" }).click();
    await page.getByText(/Failing since .* consecutive failures/).waitFor();
    await page.goto(`${home}/webhooks`);
    const row = page.getByRole("row").filter({ hasText: "/dead" });
    await row.getByText("Failing", { exact: true }).waitFor();
    await row.getByText(/consecutive failures/).waitFor();
    await row.getByText("Last response: Connection refused").waitFor();
    await row.getByText(/Check that your server is running/).waitFor();
    await row.getByText("Deliveries are paused").waitFor();
    await page.goto(`${home}/webhooks?status=enabled`);
    await page.getByRole("table", { name: "Webhook endpoints" }).waitFor();
    assert.equal(await row.count(), 0);
    await page.goto(`${home}/webhooks?status=failing`);
    await row.waitFor();

    await page.goto(`${home}/webhooks/${id}`);
    await page.getByRole("button", { name: "Send ping" }).click();
    await page.getByRole("link", { name: "ping" }).nth(12).waitFor();
    await page.getByRole("link", { name: "ping" }).first().click();
    // Until the delivery's page has loaded, the list is shown, which contains the same text as the page.
    await page.getByRole("heading", { name: "Payload" }).waitFor();
    const attempts = page.getByText("Connection refused", { exact: true });
    await attempts.waitFor();
    await page.getByRole("button", { name: "Resend" }).click();
    await attempts.nth(1).waitFor();

    await page.goto(`${home}/webhooks/${id}`);
    await chooseAction(page, "Delete");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.waitForURL(/\/webhooks$/);
  },
);

/** Chooses an action in the menu of an endpoint's page. */
async function chooseAction(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name, exact: true }).click();
}

journey(
  "an endpoint is pinged, disabled and enabled, and its secret is rolled",
  async (browser) => {
    const { data } = await florin.api<{ data: Created[] }>("GET", "/webhook_endpoints?limit=1");
    const { page, home } = await signInToDemo(await browser.newPage());
    await page.goto(`${home}/webhooks/${data[0]?.id}`);
    await page.getByRole("button", { name: "Send ping" }).click();
    await page.getByRole("link", { name: "ping" }).first().click();
    await page.getByRole("heading", { name: "Payload" }).waitFor();
    await page.goBack();

    await chooseAction(page, "Send sample event");
    await page.getByLabel("Event type").selectOption("refund.failed");
    await page.getByRole("button", { name: "Send event" }).click();
    await page.getByRole("link", { name: "refund.failed" }).first().click();
    await page.getByText('"sample"').waitFor();
    await page.goBack();

    await chooseAction(page, "Disable");
    await page.getByText("This endpoint is disabled").waitFor();
    await page.getByRole("button", { name: "Enable" }).click();
    await page.getByRole("button", { name: "Send ping" }).waitFor();
    await page.getByRole("button", { name: "Resend missed deliveries" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Resend" }).click();
    await page.getByText(/No missed deliveries|queued/).waitFor();

    await chooseAction(page, "Roll secret");
    await dialog.getByRole("button", { name: "Roll secret" }).click();
    const secret = await dialog.getByRole("region", { name: "signing secret" }).textContent();
    assert.match(secret ?? "", /^whsec_/);
  },
);

journey(
  "the test clock makes a payment available, and a dispute appears in the bell and in an email",
  async (browser) => {
    const { page, email } = await createAccount(browser);
    const visa = { amount: 4200, currency: "usd", payment_method_id: "pm_card_visa" };
    const { id } = await callApi<Created>(page, "/charges", visa);
    await page.getByRole("button", { name: "Advance clock" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Advance by").fill("3");
    await dialog.getByRole("button", { name: "Advance clock" }).click();
    await page.getByText("Test clock advanced by 3 days.").waitFor();
    type Balance = { available: { amount: number }[] };
    const { available } = await callApi<Balance>(page, "/balance");
    assert.ok((available[0]?.amount ?? 0) > 0, "the payment is still pending");

    await callApi(page, "/test_helpers/disputes", { charge_id: id });
    const bell = page.getByRole("button", { name: "Notifications, 1 unread" });
    while (!(await bell.isVisible())) {
      await page.reload();
      await page.getByRole("button", { name: /^Notifications/ }).waitFor();
    }
    await page.getByRole("link", { name: /Disputes.*1 open/ }).waitFor();
    const rules = page.getByRole("link", { name: "Rules" });
    await page.getByRole("button", { name: "Risk", exact: true }).click();
    await rules.waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("button", { name: "Risk", exact: true, expanded: false }).click();
    await rules.waitFor();

    await bell.click();
    await page.getByRole("link", { name: /Dispute opened/ }).click();
    await page.getByText("Needs response").first().waitFor();
    await page.goto(florin.inboxUrl);
    const mail = page.getByRole("article").filter({ hasText: email }).first();
    await mail.getByText("Dispute over 42.00 USD (test mode)").waitFor();
  },
);

journey("the operator's metrics open in the mode that has payments", async (browser) => {
  await createDispute();
  const admin = await becomeOperator(browser);
  await admin.goto(`${florin.dashboardUrl}/operator/figures`);
  await admin.getByText("Approval rate", { exact: true }).first().waitFor();
  assert.equal(await admin.getByLabel("Mode").inputValue(), "test");
});

async function createDispute(): Promise<string> {
  const visa = { amount: 4200, currency: "usd", payment_method_id: "pm_card_visa" };
  const charge = await florin.api<Created>("POST", "/charges", visa);
  const about = { charge_id: charge.id, reason: "product_not_received" };
  return (await florin.api<Created>("POST", "/test_helpers/disputes", about)).id;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(50);
}
