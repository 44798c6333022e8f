import assert from "node:assert/strict";
import { test } from "node:test";
import { build, stop } from "esbuild";
import type { Page } from "playwright-core";
import { startBrowser } from "../../test/browser.ts";

const { service, newPage } = await startBrowser();

/**
 * A virtual screen reader that implements ARIA in HTML, AccName and Core-AAM, and reads the page inside the browser.
 */
const bundle = await build({
  stdin: {
    contents: `export { virtual } from "@guidepup/virtual-screen-reader/browser.js";`,
    resolveDir: import.meta.dirname,
  },
  bundle: true,
  write: false,
  format: "iife",
  globalName: "reader",
});
await stop();
const script = (bundle.outputFiles[0] as { text: string }).text;

type Reader = {
  reader: {
    virtual: {
      start(options: { container: Node }): Promise<void>;
      next(): Promise<void>;
      stop(): Promise<void>;
      lastSpokenPhrase(): Promise<string>;
      spokenPhraseLog(): Promise<string[]>;
    };
  };
};

async function startReader(page: Page): Promise<void> {
  await page.evaluate(`${script}; window.reader = reader`);
  await page.evaluate(() =>
    (window as unknown as Reader).reader.virtual.start({ container: document.body }),
  );
}

/** Reads the page from top to bottom, as a user does with the "next" key. */
async function readAll(page: Page): Promise<string[]> {
  await startReader(page);
  return page.evaluate(async () => {
    const { virtual } = (window as unknown as Reader).reader;
    for (let count = 0; count < 200; count++) {
      await virtual.next();
      if ((await virtual.lastSpokenPhrase()) === "end of document") break;
    }
    const log = await virtual.spokenPhraseLog();
    await virtual.stop();
    return log;
  });
}

/**
 * Matches the phrases of `noscript`. The tests exclude them, because a browser that runs scripts does not render
 * `noscript`.
 */
const noScript = /noscript/;

/** Returns the announcements since the reader started, for live region updates and focus changes. */
const output = (page: Page) =>
  page.evaluate(() => (window as unknown as Reader).reader.virtual.spokenPhraseLog());

async function payBy(page: Page, card: string): Promise<void> {
  await page.getByRole("button", { name: card }).click();
  await startReader(page);
  await page.locator(".pay").focus();
  await page.keyboard.press("Enter");
}

test("a screen reader announces the form, the name of each field, and the amount on the button", async () => {
  const { page } = await newPage();
  await page.goto(service.open().embedUrl);
  await page.locator("#number").waitFor();
  const announced = (await readAll(page)).filter((phrase) => !noScript.test(phrase));
  assert.deepEqual(announced.slice(0, 26), [
    "document",
    "banner",
    "Kiosk Nord",
    "Test mode",
    "heading, Pay Kiosk Nord $84.50, level 1",
    "Pay Kiosk Nord",
    "$84.50",
    "end of heading, Pay Kiosk Nord $84.50, level 1",
    "end of banner",
    "main",
    "heading, Pay by card, level 2",
    "form, not busy",
    "Card number",
    "textbox, Card number, not invalid, placeholder 1234 1234 1234 1234, required",
    "Expiry date",
    "textbox, Expiry date, not invalid, placeholder MM / YY, required",
    "Security code",
    "textbox, Security code, not invalid, placeholder CVC, required",
    "Name on card",
    "textbox, Name on card, not invalid, placeholder As printed on the card, required",
    "button, Pay $84.50, not disabled",
    "end of form, not busy",
    "paragraph",
    "Kiosk Nord never sees your card details.",
    "end of paragraph",
    "region, Test mode",
  ]);
  assert.equal(announced.at(-1), "end of document");
});

test("a success is announced automatically, and the screen shows what was paid", async () => {
  const { page } = await newPage();
  await page.goto(service.open().embedUrl);
  await payBy(page, "Success");
  await page.getByRole("heading", { name: "Payment complete" }).waitFor();
  await page.waitForTimeout(200);
  const announcements = await output(page);
  assert.ok(announcements.includes("polite: Paying…"), announcements.join("\n"));
  assert.ok(
    announcements.some((phrase) => phrase.startsWith("heading, Payment complete")),
    announcements.join("\n"),
  );
  const announced = await readAll(page);
  const end = announced.slice(announced.indexOf("main"));
  assert.deepEqual(end.filter((phrase) => !noScript.test(phrase)).slice(0, 6), [
    "main",
    "heading, Payment complete, level 2",
    "paragraph",
    "You paid $84.50 to Kiosk Nord.",
    "end of paragraph",
    "end of main",
  ]);
});

test("a decline is announced with its reason and the next step, and an invalid field with its problem", async () => {
  const { page } = await newPage();
  const opened = service.open();
  await page.goto(opened.embedUrl);
  await payBy(page, "Insufficient funds");
  await page.locator(".banner").waitFor();
  await page.waitForTimeout(200);
  const announcements = await output(page);
  const reason = "Your card has insufficient funds. Try another card.";
  assert.ok(
    announcements.includes(`polite: Payment declined. ${reason}`),
    announcements.join("\n"),
  );

  await page.fill("#cvc", "1");
  await page.locator(".pay").click();
  await page.getByText("The security code is incomplete.").waitFor();
  const announced = await readAll(page);
  assert.ok(
    announced.includes(
      "textbox, Security code, 1, The security code is incomplete., invalid, required",
    ),
    announced.filter((phrase) => phrase.includes("Security code")).join("\n"),
  );
});
