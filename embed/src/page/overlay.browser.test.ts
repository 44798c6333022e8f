import assert from "node:assert/strict";
import { test } from "node:test";
import { slowed } from "@florin/server/test/slowness.ts";
import type { Page } from "playwright-core";
import { succeed } from "../../test/scripted-service.ts";
import { mount, payInside, startShopPages, waitForEvent } from "./shop-page.fixture.ts";

const { service, openShopPage } = await startShopPages();

const overlay = (page: Page) => page.locator("florin-overlay dialog");

async function openChallenge(page: Page) {
  const opened = service.open();
  await mount(page, "pay", opened.embedUrl);
  await waitForEvent(page, "pay", "ready");
  await payInside(page, "pay", "4000002760003184");
  await overlay(page).locator("iframe").contentFrame().getByText("Enter the code").waitFor();
  return opened;
}

test("the challenge covers the whole page and closes when the service returns the outcome", async () => {
  const page = await openShopPage();
  const opened = await openChallenge(page);
  const size = await overlay(page).evaluate((dialog) => ({
    modal: dialog.matches(":modal"),
    behindIsStill: document.documentElement.style.overflow,
    named: dialog.getAttribute("aria-label"),
  }));
  assert.deepEqual(size, {
    modal: true,
    behindIsStill: "hidden",
    named: "Confirm with your bank",
  });
  succeed(opened.session);
  await waitForEvent(page, "pay", "complete");
  await overlay(page).waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => document.documentElement.style.overflow), "");
});

test("a signal from the challenge document makes the form read the session immediately", async () => {
  const page = await openShopPage();
  const opened = await openChallenge(page);
  succeed(opened.session);
  const begun = Date.now();
  await overlay(page)
    .locator("iframe")
    .contentFrame()
    .locator("body")
    .evaluate(() => {
      const channel = new BroadcastChannel("florin-challenge");
      channel.postMessage("changed");
    });
  await waitForEvent(page, "pay", "complete");
  assert.ok(Date.now() - begun < slowed(1000));
});

test("the challenge closes only after a confirmation: by button, by Escape, or by Escape twice", async () => {
  const page = await openShopPage();
  const opened = await openChallenge(page);
  const dialog = overlay(page);
  await dialog.getByRole("button", { name: "Close" }).click();
  await dialog.getByText("Cancel this payment?").waitFor();
  await dialog.getByRole("button", { name: "Continue payment" }).click();
  await dialog.getByRole("button", { name: "Close" }).waitFor();
  for (let times = 0; times < 3; times++) await page.keyboard.press("Escape");
  await dialog.getByText("Cancel this payment?").waitFor();
  assert.equal(opened.session.status, "requires_action");

  await dialog.getByRole("button", { name: "Cancel payment" }).click();
  const failure = (await waitForEvent(page, "pay", "failed")) as Record<string, unknown>;
  assert.equal(failure.decline_code, "authentication_canceled");
  assert.equal(failure.retryable, true);
  await payInside(page, "pay", "4242424242424242");
  await waitForEvent(page, "pay", "complete");
});

test("while the shop's page asks whether to cancel, the issuer's page is dimmed and cannot be used", async () => {
  const page = await openShopPage();
  await openChallenge(page);
  const dialog = overlay(page);
  const issuer = dialog.locator("iframe");
  const code = issuer.contentFrame().getByLabel("Code");
  await code.click();
  await dialog.getByRole("button", { name: "Close" }).click();
  assert.ok(Number(await issuer.evaluate((frame) => getComputedStyle(frame).opacity)) < 0.5);
  const box = await issuer.boundingBox();
  await page.mouse.click((box?.x ?? 0) + 100, (box?.y ?? 0) + 100);
  // Four presses of Tab would reach the issuer's field, if it could be reached, after the dialog's two buttons and the
  // browser's own controls.
  for (let times = 0; times < 4; times++) {
    await page.keyboard.press("Tab");
    await page.keyboard.type("1");
  }
  assert.equal(await code.inputValue(), "");
  await dialog.getByRole("button", { name: "Continue payment" }).click();
  assert.equal(await issuer.evaluate((frame) => getComputedStyle(frame).opacity), "1");
  await code.fill("123456");
});

test("a reload during the challenge shows it again", async () => {
  const page = await openShopPage();
  const { embedUrl } = service.open({
    status: "requires_action",
    next_action: {
      type: "redirect",
      url: "/challenge/bank",
      step: "challenge",
      expires_at: 1_790_000_900,
    },
  });
  await mount(page, "pay", embedUrl);
  await overlay(page).locator("iframe").contentFrame().getByText("Enter the code").waitFor();
  assert.equal(await page.evaluate(() => document.querySelectorAll("florin-overlay").length), 1);
});

/**
 * Opens a dialog in the same way as component libraries. The page behind the dialog is inert, and a click outside
 * closes the dialog.
 */
function openShopDialog(): void {
  const shop = document.querySelector("#pay") as HTMLElement;
  shop.style.cssText = "position: fixed; inset: 20px; overflow: auto; pointer-events: auto";
  document.body.style.pointerEvents = "none";
  const events: string[] = [];
  Object.assign(window, { events });
  const record = (event: Event): void => {
    const { key } = event as KeyboardEvent;
    if (key ? key !== "Escape" : shop.contains(event.target as Node)) return;
    events.push(event.type);
    // Imitates a focus trap of the shop's dialog, which cancels these events. A dialog without a focus trap would close
    // on them.
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  for (const type of ["pointerdown", "mousedown", "click", "focusin", "keydown"]) {
    document.addEventListener(type, record, true);
    document.addEventListener(type, record);
  }
  // Some libraries also make elements inert if they are added to the page while the dialog is open.
  const makeInert = (changes: MutationRecord[]): void => {
    for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
      if (node instanceof HTMLElement) node.inert = true;
    }
  };
  new MutationObserver(makeInert).observe(document.body, { childList: true });
}

test("the challenge works above a modal dialog of the shop, and its events do not reach the dialog", async () => {
  const page = await openShopPage();
  await page.evaluate(openShopDialog);
  await openChallenge(page);
  const dialog = overlay(page);
  const code = dialog.locator("iframe").contentFrame().getByLabel("Code");
  await code.click();
  await page.keyboard.type("123456");
  assert.equal(await code.inputValue(), "123456");
  await dialog.getByRole("button", { name: "Close" }).click();
  await dialog.getByRole("button", { name: "Continue payment" }).click();
  // The button has the focus, so this Escape is dispatched to the page and not to the issuer's frame.
  await page.keyboard.press("Escape");
  await dialog.getByText("Cancel this payment?").waitFor();
  assert.deepEqual(await page.evaluate(() => Reflect.get(window, "events")), []);
  await dialog.getByRole("button", { name: "Cancel payment" }).click();
  await waitForEvent(page, "pay", "failed");
  await page.locator("h1").dispatchEvent("click");
  assert.deepEqual(await page.evaluate(() => Reflect.get(window, "events")), ["click"]);
});

test("removing the form during the challenge removes the challenge, and moving the form does not", async () => {
  const page = await openShopPage();
  await openChallenge(page);
  await page.evaluate(() => {
    document.querySelector("#other")?.append(document.querySelector("#pay") as Element);
  });
  await page.waitForTimeout(800);
  assert.equal(await overlay(page).count(), 1);
  await page.evaluate(() => document.querySelector("#pay")?.remove());
  await overlay(page).waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => document.documentElement.style.overflow), "");
});
