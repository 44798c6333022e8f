import assert from "node:assert/strict";
import { test } from "node:test";
import { startBrowser } from "../../test/browser.ts";
import { directionOf, languages } from "./locales/choose-locale.ts";
import { testWallet } from "./session.fixture.ts";

const { service, newPage } = await startBrowser();

const openForm = () => service.open({ wallets: [testWallet] });

test("the sheet is modal, Escape closes it without a request, and the focus returns to the button", async () => {
  const { page, complaints } = await newPage();
  const { embedUrl } = openForm();
  await page.goto(embedUrl);
  const button = page.getByRole("button", { name: "Test wallet" });
  await button.click();
  const sheet = page.getByRole("dialog", { name: "Test wallet" });
  await sheet.waitFor();
  assert.equal(await sheet.getByRole("radio", { name: /Visa.*4242.*Success/ }).isChecked(), true);
  const isOutsideInert = await page.evaluate(() => {
    document.querySelector<HTMLElement>("#number")?.focus();
    return document.activeElement?.closest("dialog") !== null;
  });
  assert.equal(isOutsideInert, true);
  const before = service.requests.length;
  await page.keyboard.press("Escape");
  await sheet.waitFor({ state: "detached" });
  assert.equal(await button.evaluate((element) => element === document.activeElement), true);
  await button.click();
  await sheet.getByRole("button", { name: "Close" }).click();
  await sheet.waitFor({ state: "detached" });
  assert.equal(service.requests.length, before);
  assert.deepEqual(complaints, []);
});

test("without a wallet, the form has no wallet button", async () => {
  const { page } = await newPage();
  await page.goto(service.open().embedUrl);
  await page.locator("#number").waitFor();
  assert.equal(await page.locator(".wallet, .or").count(), 0);
});

test("in every language the wallet's button and sheet fit 320 pixels, in both color schemes", async () => {
  const wrong: string[] = [];
  const { page } = await newPage({ viewport: { width: 320, height: 640 } });
  for (const language of languages) {
    const { embedUrl } = service.open({ wallets: [testWallet], locale: language });
    await page.goto(embedUrl);
    await page.locator(".wallet").click();
    await page.locator("dialog[open]").waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const found = await page.evaluate(() => {
        const sheet = document.querySelector("dialog") as HTMLElement;
        const { left, right, top, bottom } = sheet.getBoundingClientRect();
        const targets = [...sheet.querySelectorAll("button, label")];
        return {
          direction: getComputedStyle(sheet).direction,
          overflow: document.documentElement.scrollWidth - innerWidth,
          cutOff: sheet.scrollWidth - sheet.clientWidth,
          isInside: left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight,
          small: targets.filter((one) => one.getBoundingClientRect().height < 24).length,
        };
      });
      const expected = {
        direction: directionOf(language),
        overflow: 0,
        cutOff: 0,
        isInside: true,
        small: 0,
      };
      if (JSON.stringify(found) !== JSON.stringify(expected)) {
        wrong.push(`${language}, ${colorScheme}: ${JSON.stringify(found)}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});
