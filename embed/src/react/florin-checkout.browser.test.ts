import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";
import type { Page } from "playwright-core";
import { startBrowser } from "../../test/browser.ts";

const { service, newPage } = await startBrowser();
const shopOrigin = service.origin.replace("127.0.0.1", "localhost");

/** The development build of React, in which StrictMode mounts every component twice. */
const bundle = await build({
  entryPoints: [fileURLToPath(new URL("./shop.fixture.ts", import.meta.url))],
  bundle: true,
  write: false,
  format: "iife",
  globalName: "reactShop",
  define: { "process.env.NODE_ENV": '"development"' },
});
await stop();
const script = (bundle.outputFiles[0] as { text: string }).text;

type PageGlobals = {
  reactShop: { openReactShop(url: string): void };
  show(props: object | null, without?: readonly string[]): void;
  events: string[];
};

async function openShopPage(
  embedUrl: string,
  documents: string[] = [],
  furtherHtml = "",
): Promise<Page> {
  const { page } = await newPage();
  page.on("request", (request) => {
    if (request.url().includes("/embed/cs_")) documents.push(request.url());
  });
  await page.goto(`${shopOrigin}/shop`);
  await page.evaluate((html) => document.body.insertAdjacentHTML("beforeend", html), furtherHtml);
  await page.addScriptTag({ content: script });
  await page.evaluate(
    (url) => (window as unknown as PageGlobals).reactShop.openReactShop(url),
    embedUrl,
  );
  return page;
}

const eventsOf = (page: Page) => page.evaluate(() => (window as unknown as PageGlobals).events);
const waitForEvent = (page: Page, word: string) =>
  page.waitForFunction(
    (wanted) => (window as unknown as PageGlobals).events.includes(wanted),
    word,
  );

test("in StrictMode the component creates one frame, loads it once, and pays", async () => {
  const opened = service.open();
  const documents: string[] = [];
  const page = await openShopPage(opened.embedUrl, documents);
  await waitForEvent(page, "ready");
  const form = page.frameLocator("#pay iframe");
  await form.getByRole("button", { name: "Success" }).click();
  await form.locator(".pay").click();
  await waitForEvent(page, "complete");
  assert.equal(await page.locator("iframe").count(), 1);
  assert.equal(documents.length, 1, documents.join("\n"));
  assert.equal((await eventsOf(page)).filter((word) => word === "ready").length, 1);
});

test("the component loads the loader on a page with an element with the ID Florin", async () => {
  const page = await openShopPage(service.open().embedUrl, [], `<div id="Florin"></div>`);
  await waitForEvent(page, "ready");
});

test("callbacks and options follow a re-render, and typed values are kept", async () => {
  const page = await openShopPage(service.open().embedUrl);
  await waitForEvent(page, "ready");
  const form = page.frameLocator("#pay iframe");
  await form.locator("#number").fill("4242");
  await page.evaluate(() => {
    const { show, events } = window as unknown as PageGlobals;
    show({ onChange: () => events.push("second change"), locale: "de", postalCode: "required" });
  });
  await form.getByText("Kartennummer").waitFor();
  await form.locator("#postal_code").waitFor();
  assert.equal(await form.locator("#number").inputValue(), "4242");
  await form.locator("#cvc").fill("123");
  await waitForEvent(page, "second change");
  const words = await eventsOf(page);
  assert.ok(words.lastIndexOf("first change") < words.indexOf("second change"));
});

test("a prop that a render no longer passes returns to its default", async () => {
  const page = await openShopPage(service.open().embedUrl);
  await waitForEvent(page, "ready");
  const form = page.frameLocator("#pay iframe");
  const show = (props: object, without: readonly string[] = []) =>
    page.evaluate(([changed, names]) => (window as unknown as PageGlobals).show(changed, names), [
      props,
      without,
    ] as const);
  await show({ locale: "de", payButton: "hidden" });
  await form.getByText("Kartennummer").waitFor();
  await form.locator(".pay").waitFor({ state: "hidden" });
  await show({}, ["locale", "payButton", "onChange"]);
  await form.getByText("Card number").waitFor();
  await form.locator(".pay").waitFor();
  const before = await eventsOf(page);
  await form.getByRole("button", { name: "Success" }).click();
  await form.locator(".pay").click();
  await waitForEvent(page, "complete");
  const changes = (words: readonly string[]) => words.filter((word) => word === "first change");
  assert.deepEqual(changes(await eventsOf(page)), changes(before));
});

test("another session replaces the frame, and unmounting removes it", async () => {
  const page = await openShopPage(service.open().embedUrl);
  await waitForEvent(page, "ready");
  const next = service.open({ amount: 1234 });
  await page.evaluate(
    (embedUrl) => (window as unknown as PageGlobals).show({ embedUrl }),
    next.embedUrl,
  );
  await page.frameLocator("#pay iframe").getByText("Pay $12.34").waitFor();
  assert.equal(await page.locator("iframe").count(), 1);
  await page.evaluate(() => (window as unknown as PageGlobals).show(null));
  await page.locator("iframe").waitFor({ state: "detached" });
});

test("an invalid embedUrl calls onError, shows no form, and keeps the page's tree", async () => {
  const page = await openShopPage("http://[");
  await waitForEvent(page, "embed_url_invalid");
  assert.deepEqual(await eventsOf(page), ["embed_url_invalid"]);
  assert.equal(await page.locator("#pay > div").count(), 1);
  const show = (embedUrl: string) =>
    page.evaluate((url) => (window as unknown as PageGlobals).show({ embedUrl: url }), embedUrl);
  await show(service.open().embedUrl);
  await waitForEvent(page, "ready");
  await show("javascript:void 0");
  // The previous session can no longer be paid.
  await page.locator("iframe").waitFor({ state: "detached" });
  await page.waitForFunction(
    () =>
      (window as unknown as PageGlobals).events.filter((word) => word === "embed_url_invalid")
        .length === 2,
  );
  assert.equal(await page.locator("#pay > div").count(), 1);
});
