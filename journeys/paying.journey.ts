import assert from "node:assert/strict";
import {
  fillBag,
  goodCard,
  pay,
  payHere,
  payOnFlorinsPage,
  poorCard,
  sees,
  seesOrderPaid,
  typeCard,
} from "./customer.ts";
import { journey } from "./journey.ts";
import { chargesOf, readSession, sessionIdIn } from "./merchant.ts";
import { florin } from "./running-florin.ts";

journey(
  "a customer pays on the shop's page, and the signed webhook marks the order paid",
  async (customer) => {
    const page = await fillBag(customer);
    const form = await payHere(page);
    await pay(form, goodCard);
    await page.waitForURL(/\/orders\/[^/]+\?from=success$/);
    await seesOrderPaid(page);
    await sees(page, "payment.succeeded");
  },
);

journey(
  "a customer pays on the hosted page and returns to the shop, where the order is paid",
  async (customer) => {
    const page = await fillBag(customer);
    await payOnFlorinsPage(page);
    assert.equal(new URL(page.url()).origin, florin.url);
    await sees(page, "Morning cup");
    await pay(page, goodCard);
    await sees(page, "You paid $28.00 to Fieldware.");
    await page.waitForURL(`${florin.shopUrl}/orders/**`);
    await seesOrderPaid(page);
  },
);

journey(
  "after a decline the customer corrects the card and pays in the same session",
  async (customer) => {
    const page = await fillBag(customer);
    await payOnFlorinsPage(page);
    const session = sessionIdIn(page.url());
    await pay(page, poorCard);
    await sees(page, "has insufficient funds");
    await pay(page, goodCard);
    await seesOrderPaid(page);

    const charges = await chargesOf(session);
    assert.deepEqual(
      charges.map(({ status }) => status),
      ["succeeded", "failed"],
    );
    assert.equal((await readSession(session)).attempts, 2);
  },
);

journey("a customer who cancels is not charged, and the order is kept", async (customer) => {
  const page = await fillBag(customer);
  await payOnFlorinsPage(page);
  const session = sessionIdIn(page.url());
  await page.getByRole("link", { name: "Back to Fieldware" }).click();
  await page.getByRole("heading", { name: "Payment canceled" }).waitFor();
  assert.deepEqual(await chargesOf(session), []);
  // The second attempt uses the same session.
  await payOnFlorinsPage(page);
  assert.equal(sessionIdIn(page.url()), session);
});

journey(
  "the holder of a co-badged card chooses the network, and the charge records it",
  async (customer) => {
    const page = await fillBag(customer);
    const form = await payHere(page);
    await typeCard(form, { number: "4000002500001001" });
    await form.getByRole("radio", { name: "Cartes Bancaires" }).check();
    const frame = page.frames().find((one) => one.url().includes("/embed/cs_"));
    await form.locator(".pay").click();
    await seesOrderPaid(page);
    const [charge] = await chargesOf(sessionIdIn(frame?.url() ?? ""));
    assert.equal(charge?.payment_method_details.card.networks.preferred, "cartes_bancaires");
  },
);
