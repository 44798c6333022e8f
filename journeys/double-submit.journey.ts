import assert from "node:assert/strict";
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
import { journey } from "./journey.ts";
import { chargesOf, createSession, sessionIdIn } from "./merchant-api.ts";

journey("a double click charges once", async (customer) => {
  const page = await addToBag(customer);
  const form = await payInFrame(page);
  const session = sessionIdIn((await page.locator("#pay iframe").getAttribute("src")) ?? "");
  await typeCard(form, validCard);
  await form.locator(".pay").dblclick();
  await waitUntilOrderPaid(page);
  assert.equal((await chargesOf(session)).length, 1);
});

journey(
  "a payment whose response is lost with the connection is read again on reconnect, and charged once",
  async (customer) => {
    const session = await createSession({ amount: 2800 });
    const page = await customer.newPage();
    await page.goto(session.embed_url);
    await typeCard(page, validCard);
    await page.route(
      "**/confirm",
      async (route) => {
        await route.fetch();
        await customer.setOffline(true);
        await route.abort("internetdisconnected");
      },
      { times: 1 },
    );
    await page.locator(".pay").click();
    await waitForText(page, "You are offline.");
    await customer.setOffline(false);
    await waitForText(page, "Payment complete");
    assert.equal((await chargesOf(session.id)).length, 1);
  },
);

journey("fifty clicks in one tick in two tabs create one charge", async (customer) => {
  const session = await createSession({ amount: 2800 });
  const tabs = await Promise.all([customer.newPage(), customer.newPage()]);
  let confirms = 0;
  customer.on("request", (request) => {
    if (request.url().endsWith("/confirm")) confirms += 1;
  });
  for (const tab of tabs) {
    await tab.goto(session.embed_url);
    await typeCard(tab, validCard);
  }
  await Promise.all(
    tabs.map((tab) =>
      tab.locator(".pay").evaluate((button: HTMLButtonElement) => {
        for (let count = 0; count < 50; count++) button.click();
      }),
    ),
  );
  for (const tab of tabs) await waitForText(tab, "Payment complete");
  assert.equal((await chargesOf(session.id)).length, 1);
  assert.ok(confirms <= 2, `${confirms} confirmations of a hundred clicks`);
});

journey(
  "two tabs that pay at the same time charge once, and both show the payment",
  async (customer) => {
    const session = await createSession({ amount: 2800 });
    const tabs = await Promise.all([customer.newPage(), customer.newPage()]);
    for (const tab of tabs) {
      await tab.goto(session.embed_url);
      await typeCard(tab, validCard);
    }
    await Promise.all(tabs.map((tab) => tab.locator(".pay").click()));
    for (const tab of tabs) {
      await waitForText(tab, "Payment complete");
      assert.equal(await tab.textContent("[aria-live]"), "", "no error is announced");
    }
    assert.equal((await chargesOf(session.id)).length, 1);
  },
);

journey("an open tab shows the payment made in another tab", async (customer) => {
  const page = await addToBag(customer);
  await payOnFlorinsPage(page);
  const embedUrl = page.url();
  const other = await customer.newPage();
  await other.goto(embedUrl);
  await pay(other, validCard);
  await waitUntilOrderPaid(other);

  // The first tab also submits a valid card. Nothing is charged, because the session is already paid.
  await pay(page, validCard);
  await waitUntilOrderPaid(page);
  const charges = await chargesOf(sessionIdIn(embedUrl));
  assert.deepEqual(
    charges.map(({ status }) => status),
    ["succeeded"],
  );
});
