import assert from "node:assert/strict";
import { slowed } from "@florin/server/test/slowness.ts";
import type { Page } from "playwright-core";
import { journey } from "./journey.ts";
import { createAccount, openMailedLink, otherBrowser } from "./person.ts";
import { florin } from "./running-florin.ts";

/** Returns the dashboard URL of the account in test mode: `http://…/dashboard/acct_…/test`. */
const homeOf = (page: Page) => page.url().replace(/\/test.*/, "/test");

journey(
  "a key is created, shown once, restricted as requested, and rejected within a second of being revoked",
  async (browser) => {
    const { page } = await createAccount(browser);
    await page.goto(`${homeOf(page)}/api-keys`);
    await page.getByRole("button", { name: "Create key" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Reports");
    const access = dialog.getByLabel("Access");
    await access.selectOption("Reporting");
    await dialog.getByRole("group", { name: "Balance and payouts" }).getByText("None").click();
    await dialog.getByRole("group", { name: "Disputes" }).getByText("None").click();
    assert.equal(await access.inputValue(), "custom");
    await dialog.getByRole("button", { name: "Create key" }).click();
    const key = (await dialog.getByRole("region", { name: "API key" }).textContent()) ?? "";
    assert.match(key, /^rk_test_/);
    await dialog.getByRole("button", { name: "Done" }).click();
    assert.ok(!(await page.content()).includes(key));

    assert.equal(await statusWith(key, "/charges"), 200);
    assert.equal(await statusWith(key, "/customers"), 403);

    await page.getByRole("button", { name: "Actions for Reports" }).click();
    await page.getByRole("menuitem", { name: "Revoke" }).click();
    await dialog.getByRole("button", { name: "Revoke key" }).click();
    await page.getByText("Reports revoked.").waitFor();
    const revokedAt = performance.now();
    while ((await statusWith(key, "/charges")) !== 401) {
      assert.ok(
        performance.now() - revokedAt < slowed(1_000),
        "a revoked key was accepted for over a second",
      );
    }
  },
);

journey(
  "a user with the support role sees payments, but neither API keys nor a link to them",
  async (browser) => {
    const { page: owner } = await createAccount(browser);
    const home = homeOf(owner);
    const email = `support.${process.pid}@example.com`;
    await owner.goto(`${home}/team`);
    await owner.getByRole("button", { name: "Invite member" }).click();
    const dialog = owner.getByRole("dialog");
    await dialog.getByLabel("Email address").fill(email);
    await dialog.getByLabel("Role").selectOption("support");
    await dialog.getByRole("button", { name: "Send invitation" }).click();
    await owner.getByRole("cell", { name: email }).waitFor();

    const support = await (await otherBrowser(browser)).newPage();
    await support.goto(florin.inboxUrl);
    await openMailedLink(support, email);
    await support.getByLabel("Your name").fill("Sam Support");
    await support.getByLabel("Password").fill("nine patient lighthouses 9");
    await support.getByRole("button", { name: "Join" }).click();
    await support.waitForURL(home);
    const navigation = support.getByRole("navigation", { name: "Pages" });
    await navigation.getByRole("link", { name: "Payments" }).waitFor();
    assert.equal(await navigation.getByRole("link", { name: "API keys" }).count(), 0);

    await support.goto(`${home}/api-keys`);
    await support.getByText("does not have the required permission 'keys:read'").waitFor();
    await support.goto(`${home}/payments`);
    await support.getByText("No payments yet").waitFor();

    await owner.goto(`${home}/team`);
    await owner.getByRole("cell", { name: email }).waitFor();
    await owner.goto(`${home}/audit-log`);
    await owner.getByRole("button", { name: "Joined the team" }).waitFor();
  },
);

journey(
  "another merchant's objects are not found, neither in that merchant's account nor in the user's account",
  async (browser) => {
    const visa = { amount: 1_999, currency: "usd", payment_method_id: "pm_card_visa" };
    const charge = await florin.api<{ id: string }>("POST", "/charges", visa);
    const refund = await florin.api<{ id: string }>("POST", "/refunds", {
      charge_id: charge.id,
      amount: 500,
    });
    const customer = await florin.api<{ id: string }>("POST", "/customers", { name: "Ada" });
    const event = (await florin.api<{ data: { id: string }[] }>("GET", "/events")).data[0];
    const { id: account } = await florin.api<{ id: string }>("GET", "/account");
    const { page } = await createAccount(browser);
    const home = homeOf(page);

    for (const path of ["", "/payments", `/payments/${charge.id}`, "/api-keys", "/team"]) {
      await page.goto(`${florin.dashboardUrl}/${account}/test${path}`);
      await page
        .getByText("This account does not exist, or you are not a member of its team.")
        .waitFor();
    }
    for (const path of [
      `/payments/${charge.id}`,
      `/refunds/${refund.id}`,
      `/customers/${customer.id}`,
      `/events/${event?.id}`,
    ]) {
      await page.goto(home + path);
      await page
        .getByText(/No such \w+: '/)
        .first()
        .waitFor();
    }
    const requested = await page.evaluate(async (foreign) => {
      const headers = { "florin-account": foreign, "florin-mode": "test" };
      return (await fetch("/api/v1/charges", { headers })).status;
    }, account);
    assert.equal(requested, 404);
  },
);

async function statusWith(key: string, path: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  return (await fetch(`${florin.url}/api/v1${path}`, { headers })).status;
}
