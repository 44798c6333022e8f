import assert from "node:assert/strict";
import type { BrowserContext, Page } from "playwright-core";
import {
  bankPage,
  challengedCard,
  enterCode,
  insufficientFundsCard,
  pay,
  validCard,
  waitForText,
} from "./customer.ts";
import { journey } from "./journey.ts";
import { chargesOf, createSession, eventsOf, readSession, type Session } from "./merchant-api.ts";
import { signInToDemo } from "./person.ts";
import { florin } from "./running-florin.ts";

type Saved = Session & { customer_id: string; payment_method_id: string | null };

journey(
  "a customer saves a card without paying, after a declined card, and the merchant charges it later",
  async (customer) => {
    const { page, session } = await openSetup(customer);
    const save = page.getByRole("button", { name: "Save card" });
    await save.waitFor();
    assert.equal(await page.title(), "Save a card with Fieldware");
    await waitForText(page, "you allow Fieldware to charge it for future payments");
    assert.doesNotMatch((await page.locator("main").textContent()) ?? "", /\$|0\.00/);
    assert.equal(await page.getByRole("checkbox").count(), 0);
    await pay(page, insufficientFundsCard);
    await waitForText(page, "Card declined");
    await pay(page, validCard);
    await waitForText(page, "Card saved");
    await waitForText(page, "You were not charged.");
    const saved = (await readSession(session)) as Saved;
    assert.deepEqual(
      [saved.status, saved.payment_status, await chargesOf(session)],
      ["complete", "no_payment_required", []],
    );
    assert.equal((await eventsOf("checkout_session.completed", session)).length, 1);
    const charge = await florin.api<{ status: string }>("POST", "/charges", {
      amount: 1200,
      currency: "usd",
      payment_method_id: saved.payment_method_id,
      off_session: true,
    });
    assert.equal(charge.status, "succeeded");
  },
);

journey("a card passes a 3-D Secure challenge without an amount and is saved", async (customer) => {
  const { page, session } = await openSetup(customer);
  await pay(page, challengedCard);
  const bank = bankPage(page);
  await bank.getByLabel("Verification code").waitFor();
  assert.doesNotMatch((await bank.locator("body").textContent()) ?? "", /Amount/);
  await enterCode(bank);
  await waitForText(page, "Card saved");
  assert.notEqual(((await readSession(session)) as Saved).payment_method_id, null);
});

journey("the form states in the customer's language that the card is saved", async (customer) => {
  for (const [locale, button, direction] of [
    ["de", "Karte speichern", "ltr"],
    ["ja", "カードを保存", "ltr"],
    ["ar", "حفظ البطاقة", "rtl"],
  ] as const) {
    const { page } = await openSetup(customer, { locale });
    await page.getByRole("button", { name: button }).waitFor();
    assert.equal(await page.locator("html").getAttribute("dir"), direction);
    await page.locator(".agreement").waitFor();
  }
});

journey("the dashboard shows how a card was saved", async (customer) => {
  const { page: form, session } = await openSetup(customer);
  await pay(form, validCard);
  await waitForText(form, "Card saved");
  const { customer_id } = (await readSession(session)) as Saved;
  const { page, home } = await signInToDemo(await customer.newPage());
  await page.goto(`${home}/customers/${customer_id}`);
  const cards = page.getByRole("table", { name: "Saved cards" });
  await cards.getByRole("link", { name: "Card verification" }).click();
  await page.getByRole("heading", { name: "Save a card" }).waitFor();
  await waitForText(page, "Saves a card, no payment");
  await page.getByText("4242").waitFor();
});

async function openSetup(
  customer: BrowserContext,
  params: Record<string, unknown> = {},
): Promise<{ page: Page; session: string }> {
  const session = await createSession({ mode: "setup", ...params });
  const page = await customer.newPage();
  await page.goto(session.embed_url);
  return { page, session: session.id };
}
