import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { violationsOf } from "../../../tools/axe.ts";
import { startBrowser } from "../../test/browser.ts";
import type { ScriptedSession } from "../../test/scripted-service.ts";
import { themes } from "./appearance.ts";
import { testWallet } from "./session.fixture.ts";

const { service, newPage } = await startBrowser();

const declined = {
  code: "card_declined",
  decline_code: "insufficient_funds",
  message: "",
} as const;
const back = { cancel_url: "https://shop.example/cart" };
const screens: Readonly<Record<string, Partial<ScriptedSession>>> = {
  form: { ...back, line_items: [{ name: "Mug", quantity: 2, amount: 4225 }] },
  "with the option to save the card": { save_payment_method: true },
  "with saved cards": {
    saved_cards: [
      {
        payment_method_id: "pm_01jbqw3e4r5t6y7z8x9cvbnmas",
        brand: "visa",
        last4: "4242",
        exp_month: 4,
        exp_year: 2031,
      },
    ],
  },
  "with a wallet": { wallets: [testWallet] },
  declined: { attempts: 1, last_payment_error: declined },
  "about to expire": { expires_at: Math.floor(Date.now() / 1000) + 300 },
  processing: { status: "processing" },
  requires_action: {
    status: "requires_action",
    next_action: {
      type: "redirect",
      url: "/challenge/bank",
      step: "challenge",
      expires_at: 1_790_000_900,
    },
  },
  complete: { status: "complete", payment_status: "paid" },
  expired: { ...back, status: "expired" },
  canceled: { ...back, status: "canceled" },
  failed: { ...back, status: "failed" },
};

/**
 * The locale in which each theme is tested. One locale per theme is enough, because contrast does not depend on
 * language or text direction.
 */
const localesOfThemes = { light: ["en"], dark: ["ar"] } as const;

for (const colorScheme of ["light", "dark"] as const) {
  for (const locale of localesOfThemes[colorScheme]) {
    test(`axe reports no violations on any screen in ${colorScheme} mode, in ${locale}`, async () => {
      const { page } = await newPage({ colorScheme });
      for (const [name, overrides] of Object.entries(screens)) {
        await page.goto(service.open({ ...overrides, locale }).embedUrl);
        await page.locator("#florin:not([aria-busy])").waitFor();
        assert.deepEqual(await violationsOf(page), [], name);
      }
    });
  }
}

/**
 * Returns axe's violations in each color scheme. Only CSS depends on the scheme, so both schemes are checked in one
 * visit.
 */
async function violationsInBothSchemes(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await violationsOf(page)).map((violation) => `${colorScheme}: ${violation}`));
  }
  return found;
}

test("axe reports no violations in any theme, in light and in dark mode", async () => {
  const { page } = await newPage();
  for (const theme of themes) {
    await page.goto(`${service.open().embedUrl}&theme=${theme}`);
    await page.locator("#number").waitFor();
    assert.deepEqual(await violationsInBothSchemes(page), [], theme);
  }
});

test("axe reports no violations on the sheet of a wallet, in light and in dark mode", async () => {
  const { page } = await newPage();
  for (const theme of themes) {
    await page.goto(`${service.open({ wallets: [testWallet] }).embedUrl}&theme=${theme}`);
    await page.getByRole("button", { name: "Test wallet" }).click();
    await page.getByRole("dialog", { name: "Test wallet" }).waitFor();
    assert.deepEqual(await violationsInBothSchemes(page), [], theme);
  }
});

test("axe reports no violations on a form with errors, in light and in dark mode", async () => {
  const { page } = await newPage();
  await page.goto(service.open().embedUrl);
  await page.click(".pay");
  await page.getByText("Enter your card number.").waitFor();
  assert.deepEqual(await violationsInBothSchemes(page), []);
});

test("axe reports no violations for a co-badged card, and the choice of network follows the card number", async () => {
  const { page } = await newPage();
  const co_badged: ScriptedSession["co_badged"] = [
    { prefix: "4000002500001", networks: ["visa", "cartes_bancaires"] },
  ];
  await page.goto(service.open({ co_badged }).embedUrl);
  const choice = page.getByRole("group", { name: "Card network" });
  await page.fill("#number", "4000 0025 0000");
  assert.equal(await choice.count(), 0);
  await page.fill("#number", "4000 0025 0000 1001");
  await choice.waitFor();
  assert.equal(await choice.getByRole("radio", { name: "Visa" }).isChecked(), true);
  await choice.getByRole("radio", { name: "Cartes Bancaires" }).check();
  assert.deepEqual(await violationsOf(page), []);
  await page.fill("#number", "4242 4242 4242 4242");
  await choice.waitFor({ state: "detached" });
});

test("with forced colors, fields, buttons and icons keep a visible border", async () => {
  const { page } = await newPage({ forcedColors: "active" });
  await page.goto(service.open().embedUrl);
  await page.locator(".chip").first().waitFor();
  const edges = await page.evaluate(() =>
    [".box", ".pay", ".badge", ".chip"].map((selector) => {
      const style = getComputedStyle(document.querySelector(selector) as Element);
      return style.borderTopStyle !== "none" && style.borderTopColor !== "rgba(0, 0, 0, 0)";
    }),
  );
  assert.deepEqual(edges, [true, true, true, true]);
});

test("every field supports autofill, and numeric fields open a numeric keyboard on phones", async () => {
  const { page } = await newPage();
  await page.goto(service.open().embedUrl);
  await page.locator("#number").waitFor();
  const fields = await page.evaluate(() =>
    [...document.querySelectorAll("input")].map((input) => [input.autocomplete, input.inputMode]),
  );
  assert.deepEqual(fields, [
    ["cc-number", "numeric"],
    ["cc-exp", "numeric"],
    ["cc-csc", "numeric"],
    ["cc-name", "text"],
  ]);
});

/** Zooming to 200% halves the viewport in CSS pixels (WCAG 2.2, 1.4.4 and 1.4.10). */
test("at 200% zoom on a small laptop all elements are visible and none overlap", async () => {
  const { page } = await newPage({ viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 });
  await page.goto(service.open({ attempts: 1, last_payment_error: declined }).embedUrl);
  await page.locator(".banner").waitFor();
  await page.click(".pay");
  await page.getByText("Enter your card number.").waitFor();
  const overlaps = await page.evaluate(() => {
    const boxes = [
      ...document.querySelectorAll("label, .box, .problem, .pay, .trust, .chip, .banner"),
    ].map((element) => ({
      name: element.className || element.tagName,
      box: element.getBoundingClientRect(),
    }));
    return boxes.flatMap((one, place) =>
      boxes
        .slice(place + 1)
        .filter(
          ({ box }) =>
            one.box.left < box.right - 1 &&
            box.left < one.box.right - 1 &&
            one.box.top < box.bottom - 1 &&
            box.top < one.box.bottom - 1,
        )
        .map((other) => `${one.name} and ${other.name}`),
    );
  });
  assert.deepEqual(overlaps, []);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.equal(overflow, 0);
});
