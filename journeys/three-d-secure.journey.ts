import assert from "node:assert/strict";
import {
  bankPage,
  challengedCard,
  fillBag,
  goodCard,
  pay,
  payHere,
  payOnFlorinsPage,
  sees,
  seesOrderPaid,
} from "./customer.ts";
import { journey } from "./journey.ts";
import { chargesOf, sessionIdIn } from "./merchant.ts";

journey(
  "the bank asks inside the shop's page; the customer confirms, and the order is paid",
  async (customer) => {
    const page = await fillBag(customer);
    const form = await payHere(page);
    await pay(form, challengedCard);
    const bank = bankPage(page);
    await sees(bank, "card ending in 3184");
    await bank.getByRole("button", { name: "Confirm" }).click();
    await seesOrderPaid(page);
  },
);

journey("a failed check is a decline, and another card pays", async (customer) => {
  const page = await fillBag(customer);
  const form = await payHere(page);
  await pay(form, challengedCard);
  await bankPage(page).getByRole("button", { name: "Fail the check" }).click();
  await sees(form, "That payment did not go through");
  await pay(form, goodCard);
  await seesOrderPaid(page);
});

journey("a canceled check charges nothing, and the same card may try again", async (customer) => {
  const page = await fillBag(customer);
  await payOnFlorinsPage(page);
  const session = sessionIdIn(page.url());
  await pay(page, challengedCard);
  await bankPage(page).getByRole("button", { name: "Cancel" }).click();
  await sees(page, "That payment did not go through");
  await pay(page, challengedCard);
  await bankPage(page).getByRole("button", { name: "Confirm" }).click();
  await seesOrderPaid(page);
  const charges = await chargesOf(session);
  assert.deepEqual(
    charges.map(({ status }) => status),
    ["succeeded", "failed"],
  );
});

journey("a reload in front of the bank's question finds the question again", async (customer) => {
  const page = await fillBag(customer);
  await payOnFlorinsPage(page);
  await pay(page, challengedCard);
  await bankPage(page).getByRole("button", { name: "Confirm" }).waitFor();
  await page.reload();
  await bankPage(page).getByRole("button", { name: "Confirm" }).click();
  await seesOrderPaid(page);
});
