import assert from "node:assert/strict";
import { contrastOf } from "@florin/contract/color-contrast.ts";
import type { Locator, Page } from "playwright-core";
import { journey } from "./journey.ts";
import { callApi, createAccount, signInToDemo } from "./person.ts";
import { florin } from "./running-florin.ts";
import { waitUntilLoaded } from "./visit-dashboard-pages.ts";

type Created = { readonly id: string };
const visa = { amount: 4_200, currency: "usd", payment_method_id: "pm_card_visa" };
const phone = { width: 390, height: 844 };

journey(
  "a code block on a phone wraps its lines, and its copy button is visible in both themes",
  async (browser) => {
    const { page, home } = await signInToDemo(await browser.newPage());
    await page.setViewportSize(phone);
    const charge = await florin.api<Created>("POST", "/charges", {
      ...visa,
      description: "A description that is much longer than the screen of a phone. ".repeat(3),
    });
    await page.goto(`${home}/events`);
    await page.getByRole("link", { name: "payment.succeeded" }).first().click();
    const payload = page.getByRole("region", { name: "event payload" });
    assert.match(String(await payload.textContent()), new RegExp(charge.id));
    assert.equal(await hiddenWidth(payload), 0);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const icon = await rgbOf(page.getByRole("button", { name: "Copy event payload" }), "color");
      const ground = await rgbOf(payload.locator(".."), "background-color");
      assert.ok(contrastOf(icon, ground) >= 3, `${icon} on ${ground} in the ${colorScheme} theme`);
    }
  },
);

journey("the whole text of suggested evidence is visible on a phone", async (browser) => {
  for (let count = 0; count < 6; count += 1) await florin.api("POST", "/charges", visa);
  const charge = await florin.api<Created>("POST", "/charges", visa);
  const dispute = await florin.api<Created>("POST", "/test_helpers/disputes", {
    charge_id: charge.id,
  });
  const { page, home } = await signInToDemo(await browser.newPage());
  await page.setViewportSize(phone);
  await page.goto(`${home}/disputes/${dispute.id}`);
  const evidence = page.getByLabel("Earlier payments with this card");
  assert.ok((await evidence.inputValue()).split("\n").length >= 5);
  assert.equal(await hiddenHeight(evidence), 0);
  // The field grows while the person types.
  await evidence.press("Control+End");
  await evidence.pressSequentially("\nOne more payment\nand another one");
  assert.equal(await hiddenHeight(evidence), 0);
});

journey(
  "the hold of a payment in review expires earlier after an advance of the test clock",
  async (browser) => {
    const { page } = await createAccount(browser);
    const home = page.url().replace(/\/test.*/, "/test");
    await callApi(page, "/charges", { ...visa, payment_method_id: "pm_card_riskLevelElevated" });
    await page.goto(`${home}/reviews`);
    await page.getByText("Hold: 6 days 23 hours left").waitFor();
    await advanceClock(page, 3);
    await page.getByText("Hold: 3 days 23 hours left").waitFor();
    await advanceClock(page, 3);
    await page.getByText("Hold: 23 hours").waitFor();
  },
);

journey("a chart names its colors and never widens the page", async (browser) => {
  const { page } = await createAccount(browser);
  const home = page.url().replace(/\/test.*/, "/test");
  await callApi(page, "/charges", visa);
  await page.goto(home);
  const chart = page.getByRole("figure", { name: "Payments by outcome", exact: true });
  const legend = chart.getByRole("list", { name: "Legend" });
  await legend.waitFor();
  assert.deepEqual(await legend.getByRole("listitem").allInnerTexts(), [
    "Approved",
    "Failed",
    "Pending",
  ]);
  await chart.locator("svg").waitFor();
  assert.equal(await chart.evaluate(overflowWhenNarrower), 0);
});

journey(
  "a path without an account opens the page in the account that was used last",
  async (browser) => {
    const { page } = await createAccount(browser);
    const home = page.url().replace(/\/test.*/, "/test");
    const { id } = await callApi<Created>(page, "/charges", visa);
    await page.goto(`${florin.dashboardUrl}/payments/${id}?from=chat#timeline`);
    await page.waitForURL(`${home}/payments/${id}?from=chat#timeline`);
    await page.getByText(id).first().waitFor();
    await page.goto(`${florin.dashboardUrl}/api-keys`);
    await page.waitForURL(`${home}/api-keys`);
    await page.goto(`${florin.dashboardUrl}/nothing/here`);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    // For a payment that is not in the account, the opened page names the missing payment.
    await page.goto(`${florin.dashboardUrl}/payments/ch_00000000000000000000000000`);
    await page.getByText("No such charge: 'ch_00000000000000000000000000'.").waitFor();
  },
);

/**
 * Returns by how many pixels the content of the element is too wide immediately after the element became narrower. The
 * chart cannot be redrawn before the width is read. Runs inside the page.
 */
function overflowWhenNarrower(element: HTMLElement | SVGElement): number {
  element.style.width = `${element.clientWidth - 100}px`;
  return element.scrollWidth - element.clientWidth;
}

async function advanceClock(page: Page, days: number): Promise<void> {
  await page.getByRole("button", { name: "Advance clock" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Advance by").fill(String(days));
  await dialog.getByRole("button", { name: "Advance clock" }).click();
  await dialog.waitFor({ state: "detached" });
}

/** Returns the width of the content that is outside the element. */
async function hiddenWidth(element: Locator): Promise<number> {
  await waitUntilLoaded(element.page());
  return element.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
}

async function hiddenHeight(element: Locator): Promise<number> {
  await waitUntilLoaded(element.page());
  return element.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
}

/** Returns a color of the element as `#rrggbb`. */
function rgbOf(element: Locator, property: "color" | "background-color"): Promise<string> {
  return element.evaluate((element, property) => {
    const [red = 0, green = 0, blue = 0] =
      getComputedStyle(element)
        .getPropertyValue(property)
        .match(/[\d.]+/g)
        ?.map(Number) ?? [];
    return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  }, property);
}
