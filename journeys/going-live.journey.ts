import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { fillInApplication, uploadDocuments } from "./fill-in-application.ts";
import { journey } from "./journey.ts";
import { becomeOperator } from "./operator.ts";
import { addAuthenticatorApp, createAccount, otherBrowser } from "./person.ts";
import { florin } from "./running-florin.ts";

journey(
  "a merchant applies, provides requested information, is approved, creates a live key, and is suspended",
  async (browser) => {
    const { page: merchant } = await createAccount(browser);
    await addAuthenticatorApp(merchant);
    await merchant.goto(`${florin.dashboardUrl}`);
    await merchant.waitForURL(/\/dashboard\/acct_\w+\/test/);
    const account = /acct_\w+/.exec(merchant.url())?.[0] as string;
    const goingLiveUrl = `${florin.dashboardUrl}/${account}/test/going-live`;

    await merchant.goto(goingLiveUrl);
    await fillInApplication(merchant);
    await uploadDocuments(merchant);
    await openSubmitStep(merchant);
    await merchant.getByRole("button", { name: "Submit application" }).click();
    await merchant.getByText("waiting for review").waitFor();

    const admin = await becomeOperator(await otherBrowser(browser));
    await admin.goto(`${florin.dashboardUrl}/operator/applications/${account}`);
    await admin.getByRole("button", { name: "Begin review" }).click();
    await admin.getByRole("button", { name: "Request information" }).click();
    await admin.getByLabel("Section").selectOption("website");
    await admin.getByLabel("Message").fill("Which company do your terms name?");
    await admin.getByRole("button", { name: "Send request" }).click();
    await admin.getByText("Information requested.").waitFor();

    await merchant.goto(goingLiveUrl);
    await merchant.getByText("Which company do your terms name?").waitFor();
    await merchant.getByLabel("Terms and conditions").fill("https://lamps.example/new-terms");
    await merchant.getByRole("button", { name: "Save and continue" }).click();
    // Wait for the next step, which the page opens after it has saved this one. If it opened later, it would replace
    // the step that is opened below.
    await merchant.getByLabel("Document type").waitFor();
    await merchant.getByRole("button", { name: "Upload" }).click();
    await merchant.getByText("Choose a file.").waitFor();
    await openSubmitStep(merchant);
    await merchant.getByRole("button", { name: "Submit again" }).click();
    // Wait for the whole sentence. The step with the submit button also contains "is in review", even before the
    // application is submitted.
    await merchant.getByText(/^Your application, submitted on .+, is in review\.$/).waitFor();

    await admin.reload();
    await admin.getByRole("link", { name: "https://lamps.example/new-terms" }).waitFor();
    await completeChecklist(admin);
    await admin.getByRole("button", { name: "Approve" }).click();
    await admin.getByLabel("Reason for approval").fill("Everything is as it should be.");
    await admin.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    await admin.getByText("Application approved.").waitFor();

    await merchant.goto(goingLiveUrl);
    await merchant.getByText("Your application is approved.").waitFor();
    const key = await createLiveKey(merchant, account);
    assert.deepEqual(await chargeWith(key), [400, "connector_not_configured"]);

    await admin.goto(`${florin.dashboardUrl}/operator/accounts/${account}`);
    await admin.getByRole("button", { name: "Suspend account" }).click();
    await admin.getByLabel("Reason").fill("Customers complain about lamps that never came.");
    await admin.getByRole("dialog").getByRole("button", { name: "Suspend account" }).click();
    await admin.getByText("Account suspended.").waitFor();
    // Each server process refreshes its account cache within one second.
    await admin.waitForTimeout(1_200);
    assert.deepEqual(await chargeWith(key), [400, "account_suspended"]);
  },
  180_000,
);

/** Opens the last step of the application. */
async function openSubmitStep(merchant: Page): Promise<void> {
  const steps = merchant.getByRole("navigation", { name: "Steps" });
  await steps.getByRole("button", { name: "Submit" }).click();
}

async function completeChecklist(admin: Page): Promise<void> {
  const items = admin.getByRole("group", { name: "Checklist" }).getByRole("checkbox");
  for (let place = 0; place < (await items.count()); place++) {
    await items.nth(place).click();
    await admin.waitForFunction((at) => {
      const all = document.querySelectorAll<HTMLInputElement>("fieldset input[type=checkbox]");
      return all[at]?.checked && !all[at]?.closest("fieldset")?.disabled;
    }, place);
  }
}

/** Creates a live key with the person's session, as the page "API keys" does. */
async function createLiveKey(merchant: Page, account: string): Promise<string> {
  const created = await merchant.evaluate(async (id) => {
    const response = await fetch("/api/v1/api_keys", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "florin-account": id,
        "florin-mode": "live",
      },
      body: JSON.stringify({ name: "Our shop" }),
    });
    return response.json();
  }, account);
  assert.match(created.secret, /^sk_live_/, JSON.stringify(created));
  return created.secret;
}

async function chargeWith(key: string): Promise<[status: number, code: string]> {
  const response = await fetch(`${florin.url}/api/v1/charges`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ amount: 1_999, currency: "usd", payment_method_id: "pm_card_visa" }),
  });
  const { error } = (await response.json()) as { error: { code: string } };
  return [response.status, error.code];
}
