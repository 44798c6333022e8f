import assert from "node:assert/strict";
import {
  addToBag,
  insufficientFundsCard,
  pay,
  payInFrame,
  payOnFlorinsPage,
  typeCard,
  validCard,
  waitForText,
  waitUntilOrderPaid,
} from "./customer.ts";
import { journey } from "./journey.ts";
import { chargesOf, readSession, sessionIdIn } from "./merchant-api.ts";
import { florin } from "./running-florin.ts";

journey(
  "a customer pays on the shop's page, and the signed webhook marks the order paid",
  async (customer) => {
    const page = await addToBag(customer);
    const form = await payInFrame(page);
    await pay(form, validCard);
    await page.waitForURL(/\/orders\/[^/]+\?from=success$/);
    await waitUntilOrderPaid(page);
    await waitForText(page, "payment.succeeded");
  },
);

journey(
  "a customer pays on the hosted page and returns to the shop, where the order is paid",
  async (customer) => {
    const page = await addToBag(customer);
    await payOnFlorinsPage(page);
    assert.equal(new URL(page.url()).origin, florin.url);
    await waitForText(page, "Morning cup");
    await pay(page, validCard);
    await waitForText(page, "You paid $28.00 to Fieldware.");
    await page.waitForURL(`${florin.shopUrl}/orders/**`);
    await waitUntilOrderPaid(page);
  },
);

journey(
  "after a decline the customer corrects the card and pays in the same session",
  async (customer) => {
    const page = await addToBag(customer);
    await payOnFlorinsPage(page);
    const session = sessionIdIn(page.url());
    await pay(page, insufficientFundsCard);
    await waitForText(page, "has insufficient funds");
    await pay(page, validCard);
    await waitUntilOrderPaid(page);

    const charges = await chargesOf(session);
    assert.deepEqual(
      charges.map(({ status }) => status),
      ["succeeded", "failed"],
    );
    assert.equal((await readSession(session)).attempts, 2);
  },
);

journey("a customer who cancels is not charged, and the order is kept", async (customer) => {
  const page = await addToBag(customer);
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
  "the holder of a co-badged card chooses the network, and the charge contains the choice",
  async (customer) => {
    const page = await addToBag(customer);
    const form = await payInFrame(page);
    await typeCard(form, { number: "4000002500001001" });
    await form.getByRole("radio", { name: "Cartes Bancaires" }).check();
    const frame = page.frames().find((one) => one.url().includes("/embed/cs_"));
    await form.locator(".pay").click();
    await waitUntilOrderPaid(page);
    const [charge] = await chargesOf(sessionIdIn(frame?.url() ?? ""));
    assert.equal(charge?.payment_method_details.card.networks.preferred, "cartes_bancaires");
  },
);
