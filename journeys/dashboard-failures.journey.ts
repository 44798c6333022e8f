import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import type { Locator, Page } from "playwright-core";
import { query } from "./database.ts";
import { journey } from "./journey.ts";
import { followMailedLink, signInToDemo } from "./person.ts";
import { florin } from "./running-florin.ts";

type Created = { readonly id: string };

journey("a refund whose response was lost is not repeated with another amount", async (browser) => {
  const charge = await createCharge(4400);
  const { page, home } = await signInToDemo(await browser.newPage());
  await page.goto(`${home}/payments/${charge}`);
  await page.getByRole("button", { name: "Refund" }).click();
  const dialog = page.getByRole("dialog", { name: "Refund" });
  await dialog.getByLabel("Amount in USD").fill("10.00");
  await page.route("**/api/v1/refunds", async (route) => {
    await route.fetch();
    await route.abort();
  });
  await dialog.getByRole("button", { name: "Refund" }).click();
  await dialog.getByText("Could not reach the service").waitFor();
  await page.unroute("**/api/v1/refunds");
  // The page shows the refunded amount although the response was lost.
  await dialog.getByText("refund up to $34.00").waitFor();

  await dialog.getByLabel("Amount in USD").fill("12.00");
  await dialog.getByRole("button", { name: "Refund" }).click();
  await dialog.getByText("Your previous request was completed").waitFor();
  assert.deepEqual(await refundsOf(charge), [1000]);
  await page.getByText("$10.00", { exact: true }).first().waitFor({ state: "attached" });

  // The page now shows the first refund, so this click creates a second one.
  await dialog.getByRole("button", { name: "Refund" }).click();
  await page.getByText("$12.00 refunded.").waitFor();
  assert.deepEqual(await refundsOf(charge), [1200, 1000]);
});

journey(
  "a rejected request after a lost refund does not discard the refund's idempotency key",
  async (browser) => {
    const charge = await createCharge(4400);
    const { page, home } = await signInToDemo(await browser.newPage());
    await page.goto(`${home}/payments/${charge}`);
    await page.getByRole("button", { name: "Refund" }).click();
    const dialog = page.getByRole("dialog", { name: "Refund" });
    const clickRefund = () => dialog.getByRole("button", { name: "Refund" }).click();
    await page.route("**/api/v1/refunds", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await dialog.getByLabel("Amount in USD").fill("10.00");
    await clickRefund();
    await dialog.getByText("Could not reach the service").waitFor();
    await page.unroute("**/api/v1/refunds");
    await page.route("**/api/v1/refunds", (route) =>
      route.fulfill({
        status: 429,
        json: { error: { code: "rate_limit_exceeded", message: "Slow." } },
      }),
    );
    await clickRefund();
    await dialog.getByText("Slow.").waitFor();
    await page.unroute("**/api/v1/refunds");
    await clickRefund();
    await page.getByText("$10.00 refunded.").waitFor();
    assert.deepEqual(await refundsOf(charge), [1000]);
  },
);

journey("a session that expires while a user is typing keeps the typed text", async (browser) => {
  const about = { charge_id: await createCharge(4200), reason: "product_not_received" };
  const dispute = await florin.api<Created>("POST", "/test_helpers/disputes", about);
  const { page, home } = await signInToDemo(await browser.newPage());
  await page.goto(`${home}/disputes/${dispute.id}`);
  const evidence = "It was handed over at the door. ".repeat(100).trim();
  await page.getByRole("textbox").last().waitFor();
  await page.getByLabel("Shipping carrier").fill("Hermes");
  await page.locator("textarea").first().fill(evidence);
  await endSessions();

  await clickBehindDialog(page.getByRole("button", { name: "Review evidence" }));
  const dialog = page.getByRole("dialog", { name: "Sign in again" });
  await dialog.waitFor();
  // Closing the dialog keeps the input, and the next request opens the dialog again.
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Your session has ended").waitFor();
  assert.equal(await page.locator("textarea").first().inputValue(), evidence);
  await page.getByRole("button", { name: "Review evidence" }).click();
  await dialog.getByLabel("Password").fill("not this one at all");
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel("Password").fill(florin.demoPerson.password);
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Review evidence" }).waitFor();
  await page.getByText(evidence).waitFor();
});

journey(
  "a form that one user filled in is not submitted after another user signs in on the same page",
  async (browser) => {
    const charge = await createCharge(4400);
    const { page, home } = await signInToDemo(await browser.newPage());
    await page.goto(`${home}/payments/${charge}`);
    await page.getByRole("button", { name: "Refund" }).click();
    await endSessions();
    const refund = page.getByRole("dialog", { name: "Refund" });
    await clickBehindDialog(refund.getByRole("button", { name: "Refund" }));
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.getByLabel("Password").fill(florin.demoPerson.password);
    // Simulates a sign-in with the passkey of another person.
    await page.route("**/auth/v1/me", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), id: "prs_other" } });
    });
    const loaded = page.waitForEvent("load");
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
    await loaded;
    await page.getByRole("button", { name: "Refund" }).waitFor();
    assert.deepEqual(await refundsOf(charge), []);
  },
);

journey("a user whose session expired can sign in with a different account", async (browser) => {
  const { page, home } = await signInToDemo(await browser.newPage());
  await page.goto(`${home}/customers`);
  await page.getByRole("button", { name: "Create customer" }).first().waitFor();
  await endSessions();
  await clickBehindDialog(page.getByRole("link", { name: "Disputes" }));
  const dialog = page.getByRole("dialog", { name: "Sign in again" });
  await dialog.getByRole("button", { name: "Use a different account" }).click();
  await page.waitForURL(/sign-in\?next=/);
});

journey(
  "after a sign-in as another user in another tab, a form that the first user filled in is not submitted",
  async (browser) => {
    const charge = await createCharge(4400);
    const { page, home } = await signInToDemo(await browser.newPage());
    await page.goto(`${home}/payments/${charge}`);
    await page.getByRole("button", { name: "Refund" }).click();
    await page.getByRole("dialog", { name: "Refund" }).waitFor();
    const other = await browser.newPage();
    const email = `other.${process.pid}@example.com`;
    await other.goto(`${florin.dashboardUrl}/sign-up`);
    await other.getByLabel("Email address").fill(email);
    await other.getByRole("button", { name: "Continue" }).click();
    await followMailedLink(other, email);
    await other.getByLabel("Your name").fill("Bea");
    await other.getByLabel("Password").fill("seven quiet lighthouses 7");
    await other.getByLabel("Business name").fill("Bea's Bells");
    await other.getByRole("button", { name: "Create account" }).click();
    await other.waitForURL(/\/dashboard\/acct_\w+\/test/);

    await page.getByText("This account does not exist").waitFor();
    await page.getByRole("link", { name: "Bea's Bells" }).waitFor();
    assert.deepEqual(await refundsOf(charge), []);
  },
);

journey("one sign-in is enough for all tabs whose session has expired", async (browser) => {
  const { page, home } = await signInToDemo(await browser.newPage());
  await page.goto(`${home}/customers`);
  const other = await browser.newPage();
  await other.goto(`${home}/payouts`);
  const links = [page, other].map((tab) => tab.getByRole("link", { name: "Disputes" }));
  for (const link of links) await link.waitFor();
  await endSessions();
  for (const link of links) await clickBehindDialog(link);
  const [dialog, otherDialog] = [page, other].map((tab) =>
    tab.getByRole("dialog", { name: "Sign in again" }),
  ) as [Locator, Locator];
  await otherDialog.waitFor();
  await dialog.getByLabel("Password").fill(florin.demoPerson.password);
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  for (const shown of [dialog, otherDialog]) await shown.waitFor({ state: "detached" });
});

journey("the Back button closes the dialog of the payment that it leaves", async (browser) => {
  const [first, second] = [await createCharge(4400), await createCharge(9900)];
  const { page, home } = await signInToDemo(await browser.newPage());
  await page.goto(`${home}/payments/${first}`);
  await page.getByRole("heading", { name: "$44.00" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill(second);
  await page.getByRole("option", { name: `Open ${second}` }).click();
  await page.getByRole("heading", { name: "$99.00" }).waitFor();
  await page.getByRole("button", { name: "Refund" }).click();
  await page.getByLabel("Amount in USD").fill("12.00");
  await page.goBack();
  await page.getByRole("heading", { name: "$44.00" }).waitFor();
  assert.equal(await page.getByRole("dialog").count(), 0);
  assert.deepEqual([await refundsOf(first), await refundsOf(second)], [[], []]);
});

journey(
  "offline, a link keeps the page with its input until the next page can be loaded",
  async (browser) => {
    const { page, home } = await signInToDemo(await browser.newPage());
    const { evidence } = await startEvidence(page, home);
    await browser.setOffline(true);
    await page.getByRole("link", { name: "Payouts" }).click();
    await page.getByText("You are offline").waitFor();
    assert.equal(await page.locator("textarea").first().inputValue(), evidence);
    await page.getByRole("button", { name: "Stay on this page" }).click();
    await page.waitForURL(/\/disputes\/dp_/);
    await page.getByText("You are offline").waitFor({ state: "detached" });

    await page.getByRole("link", { name: "Payouts" }).click();
    await page.getByText("You are offline").waitFor();
    await browser.setOffline(false);
    await page.getByRole("heading", { name: "Payouts" }).waitFor();
  },
);

journey(
  "after a deployment, a link reloads the page, but keeps typed input until the person agrees",
  async (browser) => {
    const { page, home } = await signInToDemo(await browser.newPage());
    const { evidence } = await startEvidence(page, home);
    const deploy = async () => {
      await page.route("**/dashboard/assets/payouts-*.js", (route) =>
        route.fulfill({ status: 404 }),
      );
      await page.route("**/dashboard", (route) => route.fulfill({ body: "<html></html>" }));
    };
    await deploy();
    await page.getByRole("link", { name: "Payouts" }).click();
    await page.getByText("A new version is available").waitFor();
    assert.equal(await page.locator("textarea").first().inputValue(), evidence);
    await page.unrouteAll();
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByRole("heading", { name: "Payouts" }).waitFor();

    // If nothing was typed on the page, the page reloads automatically.
    await page.goto(`${home}/customers`);
    await page.getByRole("heading", { name: "Customers" }).waitFor();
    await deploy();
    const loaded = page.waitForEvent("load");
    await page.getByRole("link", { name: "Payouts" }).click();
    await loaded;
    await page.unrouteAll();
    await page.goto(`${home}/payouts`);
    await page.getByRole("heading", { name: "Payouts" }).waitFor();
  },
);

journey("refunding and copying work over plain http in a local network", async (browser) => {
  const charge = await createCharge(4400);
  const page = await browser.newPage();
  // Simulates a page over plain HTTP. Such a page is not a secure context, so browsers omit `crypto.randomUUID` and
  // `navigator.clipboard`.
  await page.addInitScript(() => {
    Object.defineProperty(crypto, "randomUUID", { value: undefined });
    Object.defineProperty(navigator, "clipboard", { value: undefined });
  });
  const { home } = await signInToDemo(page);
  await page.goto(`${home}/payments/${charge}`);
  await page
    .getByRole("button", { name: `Copy ${charge}` })
    .first()
    .click();
  const copyDialog = page.getByRole("dialog", { name: `Copy ${charge}` });
  await copyDialog.getByText("Press Ctrl+C").waitFor();
  const selected = () => {
    const { value, selectionStart, selectionEnd } = document.activeElement as HTMLTextAreaElement;
    return value.slice(selectionStart, selectionEnd);
  };
  assert.equal(await page.evaluate(selected), charge);
  await page.keyboard.press("Escape");
  await copyDialog.waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Refund" }).click();
  const dialog = page.getByRole("dialog", { name: "Refund" });
  await dialog.getByRole("button", { name: "Refund" }).click();
  await page.getByText("$44.00 refunded.").waitFor();
});

journey("an interrupted download is reported as not saved and can be retried", async (browser) => {
  await createCharge(4400);
  const { page, home } = await signInToDemo(await browser.newPage());
  await page.goto(`${home}/payments`);
  await page.locator("a[data-row]").first().waitFor();
  const broken = await startTruncatingServer();
  await page.route("**/*.csv*", (route) => route.continue({ url: broken }));
  await page.getByRole("button", { name: "Download CSV" }).click();
  const dialog = page.getByRole("dialog", { name: "Download failed" });
  await dialog.waitFor();
  await page.unroute("**/*.csv*");
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Try again" }).click();
  assert.match((await download).suggestedFilename(), /^payments-.*\.csv$/);
  await dialog.waitFor({ state: "detached" });
});

journey("failed reads are retried, and loaded data stays visible", async (browser) => {
  const charge = await createCharge(4400);
  const { page, home } = await signInToDemo(await browser.newPage());
  const failResponses = () =>
    page.route("**/api/v1/charges**", (route) => route.fulfill({ status: 500, body: "" }));
  const restoreResponses = () => page.unroute("**/api/v1/charges**");
  const retry = page.getByRole("button", { name: "Try again" });
  const rows = page.locator("a[data-row]");

  await failResponses();
  await page.goto(`${home}/payments`);
  await retry.waitFor();
  await restoreResponses();
  await retry.click();
  await rows.first().waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);

  await failResponses();
  await page.goto(`${home}/payments/${charge}`);
  await retry.first().waitFor();
  await restoreResponses();
  await retry.first().click();
  await page.getByRole("button", { name: "Refund" }).waitFor();

  // If the disputes cannot be read, the overview does not show "Nothing needs your attention".
  await page.route("**/api/v1/disputes**", (route) => route.fulfill({ status: 500, body: "" }));
  await page.goto(home);
  await retry.first().waitFor();
  assert.equal(await page.getByText("Nothing needs your attention").count(), 0);
  await page.unroute("**/api/v1/disputes**");
  await retry.first().click();
  await page.getByRole("alert").first().waitFor({ state: "detached" });

  // The page refreshes the list every ten seconds.
  await page.goto(home);
  await rows.first().waitFor();
  await failResponses();
  await page.getByRole("alert").first().waitFor();
  assert.ok((await rows.count()) > 0);
  await restoreResponses();
  await retry.first().click();
  await page.getByRole("alert").first().waitFor({ state: "detached" });
});

/** Opens the form of a dispute and types into it. */
async function startEvidence(page: Page, home: string) {
  const about = { charge_id: await createCharge(4200), reason: "product_not_received" };
  const { id } = await florin.api<Created>("POST", "/test_helpers/disputes", about);
  await page.goto(`${home}/disputes/${id}`);
  const evidence = "It was handed over at the door.";
  await page.locator("textarea").first().fill(evidence);
  return { evidence };
}

async function createCharge(amount: number): Promise<string> {
  const visa = { amount, currency: "usd", payment_method_id: "pm_card_visa" };
  return (await florin.api<Created>("POST", "/charges", visa)).id;
}

async function refundsOf(charge: string): Promise<number[]> {
  type Refunds = { data: { amount: number }[] };
  const { data } = await florin.api<Refunds>("GET", `/refunds?charge_id=${charge}`);
  return data.map(({ amount }) => amount);
}

/** Deletes the demo person's sessions, which has the effect of the 15-minute inactivity timeout. */
async function endSessions(): Promise<void> {
  await query("delete from sessions where person_id = (select id from people where email = $1)", [
    florin.demoPerson.email,
  ]);
}

/**
 * Clicks an element after the session has ended. Dispatches the event, because a repeated read may have opened the
 * dialog "Sign in again" already, which would block a click.
 */
async function clickBehindDialog(element: Locator): Promise<void> {
  await element.waitFor();
  await element.dispatchEvent("click");
}

/** Starts a server that sends the start of a file and then closes the connection. */
async function startTruncatingServer(): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/csv", "content-length": "60000" });
    response.write("id,amount\n", () => response.destroy());
  });
  after(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
