import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createCheckout } from "../checkout.ts";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop({ workers: false });
after(() => shop.close());

const coBadged = [
  ["4000002500001001", "visa"],
  ["5555552500001001", "mastercard"],
] as const;

for (const [number, brand] of coBadged) {
  const available = [brand, "cartes_bancaires"];

  test(`200: the cardholder's choice of network on a Cartes Bancaires ${brand} card is stored on card and charge`, async () => {
    const browser = await createCheckout(shop);
    const ranges = (await browser.readSession()).body.co_badged as {
      prefix: string;
      networks: string[];
    }[];
    const range = ranges.find(({ prefix }) => number.startsWith(prefix));
    assert.deepEqual(range?.networks, available);
    for (const preferred of ["cartes_bancaires", brand]) {
      const { body } = await browser.type(number, { network: preferred });
      const method = (await shop.get(`/payment_methods/${body.payment_method_id}`)).body;
      assert.deepEqual(method.card.networks, { available, preferred });
    }
    const { body } = await browser.type(number, { network: "cartes_bancaires" });
    assert.equal((await browser.confirm(body.payment_method_id)).body.status, "complete");
    const charges = await shop.get(`/charges?checkout_session_id=${browser.session}`);
    const { card } = charges.body.data[0].payment_method_details;
    assert.deepEqual(card.networks, { available, preferred: "cartes_bancaires" });
    assert.equal(card.brand, brand);
  });
}

test("201: without a choice of network the acquirer selects it", async () => {
  const browser = await createCheckout(shop);
  const { body } = await browser.type("4000002500001001");
  const method = (await shop.get(`/payment_methods/${body.payment_method_id}`)).body;
  assert.equal(method.card.networks.preferred, null);
});

test("201: a card with one network uses that network, even if the card is identified by a fixed test name", async () => {
  const { body } = await shop.post("/charges", {
    amount: 500,
    currency: "usd",
    payment_method_id: "pm_card_mastercard",
  });
  assert.deepEqual(body.payment_method_details.card.networks, {
    available: ["mastercard"],
    preferred: null,
  });
});

test("400: rejects a network that the card does not have or that does not exist", async () => {
  const browser = await createCheckout(shop);
  for (const [number, network] of [
    ["4242424242424242", "cartes_bancaires"],
    ["4000002500001001", "mastercard"],
    ["4000002500001001", "unknown"],
  ] as const) {
    const reply = await browser.type(number, { network });
    assert.deepEqual(errorOf(reply).slice(2), ["parameter_invalid", "network"]);
  }
});
