import assert from "node:assert/strict";
import { uuidOf } from "@florin/server/core/ids.ts";
import {
  addToBag,
  pay,
  payInFrame,
  payOnFlorinsPage,
  typeCard,
  validCard,
  waitForText,
  waitUntilOrderPaid,
} from "./customer.ts";
import { query } from "./database.ts";
import { journey } from "./journey.ts";
import { chargesOf, createSession, eventsOf, readSession, sessionIdIn } from "./merchant-api.ts";

/** For this amount, the acquirer approves the charge, but its response is lost (docs/reference/test-cards.md). */
const lostResponseAmount = 9_004_001;

journey(
  "while the acquirer is unreachable a reload shows the payment as processing, and an inquiry finds the outcome",
  async (customer) => {
    const session = await createSession({ amount: lostResponseAmount });
    const page = await customer.newPage();
    await page.goto(session.embed_url);
    const confirmed = page.waitForResponse((response) => response.url().endsWith("/confirm"));
    await pay(page, validCard);
    await confirmed;
    await page.reload();
    await waitForText(page, "Please do not pay again.");
    assert.equal(await page.locator(".pay").count(), 0);
    await waitForText(page, "Payment complete");
    assert.equal((await readSession(session.id)).payment_status, "paid");
    assert.equal((await chargesOf(session.id)).length, 1);
  },
);

journey("a reload during authorization does not send a second authorization", async (customer) => {
  const session = await createSession({ amount: lostResponseAmount });
  const page = await customer.newPage();
  await page.goto(session.embed_url);
  await typeCard(page, validCard);
  const requested = page.waitForRequest((request) => request.url().endsWith("/confirm"));
  await page.locator(".pay").click();
  await requested;
  while ((await readSession(session.id)).status === "open") await page.waitForTimeout(50);
  await page.reload();
  await waitForText(page, "Please do not pay again.");
  await waitForText(page, "Payment complete");
  assert.equal((await chargesOf(session.id)).length, 1);
});

journey("reloading a partly completed form loses only the typed values", async (customer) => {
  const page = await addToBag(customer);
  const bagUrl = page.url();
  let form = await payInFrame(page);
  await form.locator("#number").fill("4242 4242");
  await page.reload();
  form = page.frameLocator("#pay iframe");
  await form.locator("#number").waitFor();
  assert.equal(await form.locator("#number").inputValue(), "");
  await pay(form, validCard);
  await waitUntilOrderPaid(page);
  // The form is no longer in the browser's history.
  await page.goBack();
  assert.equal(page.url(), bagUrl);
});

journey(
  "after the payment a reload and the Back button show that it succeeded",
  async (customer) => {
    const page = await addToBag(customer);
    await payOnFlorinsPage(page);
    const embedUrl = page.url();
    await pay(page, validCard);
    await waitUntilOrderPaid(page);
    await page.reload();
    await waitUntilOrderPaid(page);
    await page.goto(embedUrl);
    await waitForText(page, "Payment complete");
    assert.equal(await page.locator("#number").count(), 0);
  },
);

journey(
  "a session expires on time: the open form shows it and the merchant receives the event",
  async (customer) => {
    const session = await createSession({ amount: 2800 });
    const page = await customer.newPage();
    // The minimum session lifetime in the API is 30 minutes, which is too long for a test.
    await query("update checkout_sessions set expires_at = now() + '8 seconds' where id = $1", [
      uuidOf(session.id),
    ]);
    await page.goto(session.embed_url);
    await waitForText(page, "This page expires in");
    await typeCard(page, validCard);
    await waitForText(page, "This payment page has expired");
    while ((await eventsOf("checkout_session.expired", session.id)).length === 0) {
      await page.waitForTimeout(200);
    }
    assert.deepEqual(await chargesOf(session.id), []);
  },
);

journey("editing the bag in another tab disables payment in the old form", async (customer) => {
  const page = await addToBag(customer);
  await page.getByRole("button", { name: "Pay here" }).click();
  const form = page.frameLocator("#pay iframe");
  await typeCard(form, validCard);
  const oldSession = sessionIdIn((await page.locator("#pay iframe").getAttribute("src")) ?? "");

  const other = await customer.newPage();
  await other.goto(page.url().replace(/\/pay$/, ""));
  await other.getByRole("button", { name: "Edit bag" }).click();
  await other.getByRole("heading", { name: "Your bag" }).waitFor();

  await form.locator(".pay").click();
  // The form notifies the shop's page, which then shows the current order.
  await page.getByRole("heading", { name: "Your bag" }).waitFor();
  assert.equal((await readSession(oldSession)).status, "expired");
  assert.deepEqual(await chargesOf(oldSession), []);
});
