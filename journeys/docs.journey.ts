import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { violationsOf } from "../tools/axe.ts";
import { journey } from "./journey.ts";
import { florin } from "./running-florin.ts";
import { signInAsDemo } from "./visit-dashboard-pages.ts";

const docsUrl = new URL("/docs", florin.dashboardUrl).href;

/** Opens a page of the documentation, and waits for its scripts. */
async function openDocs(page: Page, path = ""): Promise<void> {
  await page.goto(docsUrl + path);
  await page.getByRole("button", { name: "Search" }).waitFor();
}

/** Runs inside the page. Returns the codes in the first column of a table that are broken within a word. */
function brokenCodes(): string[] {
  return [...document.querySelectorAll("body.article td:first-child > code")]
    .filter((code) => /^\w+$/.test(code.textContent) && code.getClientRects().length > 1)
    .map((code) => code.textContent);
}

journey(
  "the dashboard's link opens the documentation, which fills in a test key",
  async (browser) => {
    await browser.grantPermissions(["clipboard-read", "clipboard-write"]);
    const dashboard = await browser.newPage();
    await signInAsDemo(dashboard);
    const opened = browser.waitForEvent("page");
    await dashboard.getByRole("link", { name: "Docs", exact: true }).click();
    const page = await opened;
    await page.getByRole("link", { name: "Charges", exact: true }).click();
    await page.getByRole("button", { name: "Create test key" }).click();
    await page.getByText("The examples contain your test key").waitFor();

    // The copied command for curl contains the key, and the key works.
    const create = page.locator('section[id="charges.create"]');
    await create.getByRole("button", { name: "Copy" }).first().click();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    const [, key] = /Bearer (sk_test_\w+)/.exec(command) ?? [];
    const [, body] = /-d '(.*)'$/s.exec(command) ?? [];
    assert.ok(key && body, command);
    const response = await fetch(new URL("/api/v1/charges", florin.url), {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body,
    });
    assert.equal(response.status, 201);

    // The chosen language applies to every snippet, including on other pages, and every language contains the key.
    for (const language of ["Node", "Python", "Go", "PHP", "Java"]) {
      await create.getByRole("tab", { name: language }).click();
      const code = create.getByRole("tabpanel").locator("code");
      assert.match(String(await code.textContent()), new RegExp(`"${key}"`), language);
    }
    await openDocs(page, "/api/refunds");
    const refund = page.locator('section[id="refunds.create"]');
    assert.match(String(await refund.getByRole("tabpanel").textContent()), /^import java.net.URI;/);
    assert.match(String(await refund.getByRole("tabpanel").textContent()), new RegExp(`"${key}"`));
  },
);

journey(
  "the search of the documentation finds guides, operations and error codes",
  async (browser) => {
    const page = await browser.newPage();
    await openDocs(page);
    await page.keyboard.press("/");
    const search = page.getByRole("searchbox");
    const first = page.getByRole("dialog").getByRole("link").first();
    for (const [words, path] of [
      ["verify signature", /\/docs\/guides\/webhooks#verify-the-signature$/],
      ["verify python", /\/docs\/guides\/webhooks#in-another-language$/],
      ["charges.capture", /\/docs\/api\/charges#charges\.capture$/],
      ["idempotency_key_in_use", /\/docs\/api\/errors#error-idempotency_key_in_use$/],
    ] as const) {
      await search.fill(words);
      await page.waitForFunction(
        (pattern) =>
          new RegExp(pattern).test(
            document.querySelector<HTMLAnchorElement>(".results a")?.href ?? "",
          ),
        path.source,
      );
    }
    await search.fill("verify signature");
    await page.getByRole("dialog").getByText("Verify the signature", { exact: true }).waitFor();
    await search.press("ArrowDown");
    await first.press("Enter");
    await page.waitForURL(/\/docs\/guides\/webhooks#verify-the-signature$/);
    await page.getByRole("heading", { name: "Verify the signature" }).waitFor();
    // The list of sections marks the section that the window shows.
    await page.locator('.contents a[aria-current="location"]').waitFor();
    await search.waitFor({ state: "hidden" });
  },
);

journey(
  "the documentation has no violations of axe and no overflow, in both themes and on a phone",
  async (browser) => {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    const [phone, desktop] = [
      { width: 390, colorScheme: "dark" },
      { width: 1280, colorScheme: "light" },
    ] as const;
    for (const [path, { width, colorScheme }] of [
      ["", desktop],
      ["/guides/webhooks", phone],
      ["/guides/card-form", desktop],
      ["/api/customers", desktop],
      ["/api/declines", phone],
    ] as const) {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme });
      await openDocs(page, path);
      assert.deepEqual(await violationsOf(page, "all"), [], `${path} ${width} ${colorScheme}`);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${path} is ${overflow} pixels too wide at ${width}`);
      assert.deepEqual(await page.evaluate(brokenCodes), [], `${path} at ${width}`);
    }
    // On a phone, the menu covers the page until the reader follows a link.
    await page.getByRole("link", { name: "Menu" }).click();
    const menu = page.getByRole("navigation", { name: "Documentation" });
    await menu.getByRole("link", { name: "Webhooks", exact: true }).click();
    await page.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor();
    await menu.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Use the light theme" }).click();
    await page.reload();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
    assert.deepEqual(complaints, []);
  },
);

journey(
  "an unknown URL below /docs shows an error page with a link, and a guide is also served as Markdown",
  async (browser) => {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    const missing = await page.goto(`${docsUrl}/guides/unknown`);
    assert.equal(missing?.status(), 404);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    assert.doesNotMatch(complaints.join("\n"), /Content Security Policy/);
    await page.getByRole("link", { name: "documentation" }).click();
    await page.getByRole("heading", { name: "Florin documentation" }).waitFor();
    const file = await fetch(`${docsUrl}/guides/refunds.md`);
    assert.match(await file.text(), /^# Refund/);
  },
);
