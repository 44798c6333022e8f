import assert from "node:assert/strict";
import type { BrowserContext, Page } from "playwright-core";
import {
  bankPage,
  type Card,
  challengedCard,
  enterCode,
  insufficientFundsCard,
  pay,
  typeCard,
  validCard,
  waitForText,
} from "./customer.ts";
import { journey } from "./journey.ts";
import { chargesOf, createSession } from "./merchant-api.ts";
import { florin } from "./running-florin.ts";

type ChargeParams = { customer_id: string; save_payment_method?: boolean };

journey(
  "a customer consents to saving a card and pays with it next time by entering only its CVC",
  async (customer) => {
    const ada = await newCustomer();
    await saveCard(customer, ada, validCard);
    const { page, session } = await openSession(customer, { customer_id: ada });
    const choices = page.getByRole("group", { name: "Your saved cards" });
    await choices.getByRole("radio", { name: /Visa.*4242.*expires 12\/30/ }).waitFor();
    assert.equal(await page.locator("#number").count(), 0);
    await page.locator(".pay").click();
    await waitForText(page, "Enter the security code.");
    await page.getByLabel("Security code").fill("123");
    await page.locator(".pay").click();
    await waitForText(page, "Payment complete");
    assert.equal((await chargesOf(session))[0]?.status, "succeeded");
  },
);

journey("a saved card is declined, and another card pays in the same session", async (customer) => {
  const ada = await newCustomer();
  await saveCard(customer, ada, { number: "4000000000000341" });
  const { page } = await openSession(customer, { customer_id: ada });
  await page.getByRole("radio", { name: /0341/ }).waitFor();
  await page.getByLabel("Security code").fill("123");
  await page.locator(".pay").click();
  await waitForText(page, "Your card was declined");
  await page.getByRole("radio", { name: "Use a different card" }).check();
  await pay(page, validCard);
  await waitForText(page, "Payment complete");
});

journey("a saved card passes a 3-D Secure challenge and pays", async (customer) => {
  const ada = await newCustomer();
  await saveCard(customer, ada, challengedCard, (page) => enterCode(bankPage(page)));
  const { page } = await openSession(customer, { customer_id: ada });
  await page.getByRole("radio", { name: /3184/ }).waitFor();
  await page.getByLabel("Security code").fill("123");
  await page.locator(".pay").click();
  await enterCode(bankPage(page));
  await waitForText(page, "Payment complete");
});

journey(
  "the form never shows another customer's cards or a card saved without consent",
  async (customer) => {
    const ada = await newCustomer();
    const first = await openSession(customer, { customer_id: ada, save_payment_method: true });
    await pay(first.page, insufficientFundsCard);
    await waitForText(first.page, "has insufficient funds");
    await pay(first.page, validCard);
    await waitForText(first.page, "Payment complete");
    await saveCard(customer, await newCustomer(), validCard);
    const { page } = await openSession(customer, { customer_id: ada });
    await page.locator("#number").waitFor();
    assert.equal(await page.getByRole("radio").count(), 0);
  },
);

async function newCustomer(): Promise<string> {
  return (await florin.api<{ id: string }>("POST", "/customers", { name: "Ada" })).id;
}

async function openSession(
  customer: BrowserContext,
  params: ChargeParams,
): Promise<{ page: Page; session: string }> {
  const session = await createSession({ amount: 2800, ...params });
  const page = await customer.newPage();
  await page.goto(session.embed_url);
  return { page, session: session.id };
}

/** Pays with the card and consents to saving it. */
async function saveCard(
  customer: BrowserContext,
  id: string,
  card: Card,
  confirm: (page: Page) => Promise<void> = async () => undefined,
): Promise<void> {
  const { page } = await openSession(customer, { customer_id: id, save_payment_method: true });
  await page.locator("#number").waitFor();
  await typeCard(page, card);
  await page.getByRole("checkbox").check();
  await page.locator(".pay").click();
  await confirm(page);
  await waitForText(page, "Payment complete");
  await page.close();
}
