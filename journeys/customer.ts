import type { BrowserContext, Frame, FrameLocator, Page } from "playwright-core";
import { florin } from "./running-florin.ts";

export type Card = { number: string; expiry?: string; cvc?: string; name?: string };

export const validCard: Card = { number: "4242424242424242" };
export const insufficientFundsCard: Card = { number: "4000000000009995" };
export const challengedCard: Card = { number: "4000002760003184" };

/** Opens the shop and adds a cup to the bag. */
export async function addToBag(customer: BrowserContext): Promise<Page> {
  const page = await customer.newPage();
  await page.goto(florin.shopUrl);
  await page.getByRole("button", { name: "Morning cup" }).click();
  await page.getByRole("heading", { name: "Your bag" }).waitFor();
  return page;
}

/** Opens the card form in a frame of the shop's page. */
export async function payInFrame(page: Page): Promise<FrameLocator> {
  await page.getByRole("button", { name: "Pay here" }).click();
  const form = page.frameLocator("#pay iframe");
  await form.locator("#number").waitFor();
  return form;
}

/** Opens the card form as a page on the service's origin. */
export async function payOnFlorinsPage(page: Page): Promise<Page> {
  await page.getByRole("button", { name: "Pay on Florin" }).click();
  await page.locator("#number").waitFor();
  return page;
}

type Form = Page | Frame | FrameLocator;

export async function typeCard(form: Form, card: Card): Promise<void> {
  await form.locator("#number").fill(card.number);
  await form.locator("#expiry").fill(card.expiry ?? "12/30");
  await form.locator("#cvc").fill(card.cvc ?? "123");
  await form.locator("#name").fill(card.name ?? "Ada Lovelace");
}

export async function pay(form: Form, card: Card): Promise<void> {
  await typeCard(form, card);
  await form.locator(".pay").click();
}

/**
 * Returns the challenge document, which is the frame in the overlay on the shop's page, or the page on the service's
 * origin.
 */
export function challenge(page: Page): Page | FrameLocator {
  const isOwnPage = page.url().startsWith(florin.url);
  return isOwnPage ? page : page.frameLocator("florin-overlay iframe");
}

/** Returns the frame with the simulated issuer's page. */
export function bankPage(page: Page): FrameLocator {
  return challenge(page).frameLocator("#bank iframe");
}

/** Enters the verification code and confirms. */
export async function enterCode(bank: FrameLocator, code = "123456"): Promise<void> {
  await bank.getByLabel("Verification code").fill(code);
  await bank.getByRole("button", { name: "Confirm" }).click();
}

export async function waitForText(page: Form, text: string): Promise<void> {
  await page.getByText(text).first().waitFor();
}

/** Waits until the order's page shows the payment, which happens after the signed webhook. */
export async function waitUntilOrderPaid(page: Page): Promise<void> {
  await page.getByRole("heading", { name: "Thank you." }).waitFor();
  await waitForText(page, "when Florin’s signed webhook arrived");
}
