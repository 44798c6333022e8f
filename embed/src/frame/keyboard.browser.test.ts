import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { startBrowser } from "../../test/browser.ts";

const { service, newPage } = await startBrowser();

const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    const ring = element && getComputedStyle(element.closest(".box") ?? element);
    const isSeen = ring && (ring.outlineStyle !== "none" || ring.boxShadow !== "none");
    return [element?.id || element?.textContent?.trim(), Boolean(isSeen)];
  });

test("a customer can pay with the keyboard only, with visible focus at every step", async () => {
  const { page } = await newPage();
  await page.goto(
    service.open({ cancel_url: "https://shop.example/cart", success_url: "https://shop.example/" })
      .embedUrl,
  );
  await page.locator("#number").waitFor();
  const way: unknown[] = [];
  const tab = async () => {
    await page.keyboard.press("Tab");
    way.push(await focused(page));
  };
  await tab();
  await tab();
  await page.keyboard.type("4000000000009995");
  await tab();
  await page.keyboard.type("5/30");
  await tab();
  await page.keyboard.type("123");
  await tab();
  await page.keyboard.type("Ada Lovelace");
  await page.keyboard.press("Enter");
  await page.locator(".banner").waitFor();
  assert.deepEqual(way, [
    ["", true],
    ["number", true],
    ["expiry", true],
    ["cvc", true],
    ["name", true],
  ]);
  assert.equal(await page.inputValue("#expiry"), "05 / 30");

  // A decline does not move the focus. Go back to the number, correct it and press the button.
  for (let back = 0; back < 3; back++) await page.keyboard.press("Shift+Tab");
  assert.equal((await focused(page))[0], "number");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("4242424242424242");
  for (let on = 0; on < 4; on++) await page.keyboard.press("Tab");
  assert.deepEqual(await focused(page), ["Pay $84.50", true]);
  await page.keyboard.press("Space");
  await page.getByRole("heading", { name: "Payment complete" }).waitFor();
  assert.equal((await focused(page))[0], "Payment complete");
});

test("pasted and autofilled values in any common format fill the fields correctly", async () => {
  const { page } = await newPage();
  await page.goto(service.open().embedUrl);
  await page.locator("#number").waitFor();
  const paste = (field: string, text: string) =>
    page.locator(`#${field}`).evaluate((input: HTMLInputElement, pasted) => {
      input.focus();
      input.select();
      document.execCommand("insertText", false, pasted);
    }, text);
  const sequences: [field: string, text: string, shown: string][] = [
    ["number", "4242-4242-4242-4242", "4242 4242 4242 4242"],
    ["number", " 3782 822463 10005\n", "3782 822463 10005"],
    ["number", "Card: 5555.5555.5555.4444 thanks", "5555 5555 5555 4444"],
    ["number", "٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢", "4242 4242 4242 4242"],
    ["number", "42424242424242424242", "4242 4242 4242 4242 424"],
    ["expiry", "2030-05", "05 / 2030"],
    ["expiry", "5/30", "05 / 30"],
    ["expiry", "1230", "12 / 30"],
    ["expiry", "12/2030", "12 / 2030"],
    ["cvc", " 123 ", "123"],
  ];
  for (const [field, text, shown] of sequences) {
    await paste(field, text);
    assert.equal(await page.inputValue(`#${field}`), shown, text);
  }

  // Autofill writes all fields together, without focus and without an input type.
  await page.evaluate(() => {
    const filled = {
      number: "4242424242424242",
      expiry: "05/2030",
      cvc: "123",
      name: "Ada Lovelace",
    };
    for (const [id, value] of Object.entries(filled)) {
      const input = document.getElementById(id) as HTMLInputElement;
      input.value = value;
      input.dispatchEvent(new Event("input", { bubbles: true }));
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }
  });
  assert.equal(await page.inputValue("#number"), "4242 4242 4242 4242");
  await page.click(".pay");
  await page.getByRole("heading", { name: "Payment complete" }).waitFor();
});
