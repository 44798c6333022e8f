import assert from "node:assert/strict";
import type { BrowserContext, FrameLocator, Page } from "playwright-core";
import {
  addToBag,
  bankPage,
  enterCode,
  payInFrame,
  payOnFlorinsPage,
  waitForText,
  waitUntilOrderPaid,
} from "./customer.ts";
import { journey } from "./journey.ts";
import { type Charge, chargesOf, createSession, sessionIdIn } from "./merchant-api.ts";
import { florin } from "./running-florin.ts";

/** Opens the wallet's sheet, chooses a card and pays. */
async function payWithWallet(form: Page | FrameLocator, card: RegExp): Promise<void> {
  await form.getByRole("button", { name: "Test wallet" }).click();
  const sheet = form.getByRole("dialog", { name: "Test wallet" });
  await sheet.getByRole("radio", { name: card }).check();
  await sheet.getByRole("button", { name: /^Pay / }).click();
}

function cardOf(charges: readonly Charge[]) {
  const card = charges[0]?.payment_method_details.card;
  return { wallet: card?.wallet, threeDSecure: card?.three_d_secure?.result ?? null };
}

async function openSession(
  customer: BrowserContext,
  params: object = {},
): Promise<{ page: Page; session: string }> {
  const session = await createSession({ amount: 2800, ...params });
  const page = await customer.newPage();
  await page.goto(session.embed_url);
  return { page, session: session.id };
}

journey(
  "a customer pays with the wallet in the shop's frame, and no request contains the card number",
  async (customer, traffic) => {
    const page = await addToBag(customer);
    const form = await payInFrame(page);
    await payWithWallet(form, /Visa.*4242.*Success$/);
    await page.waitForURL(/\/orders\/[^/]+\?from=success$/);
    await waitUntilOrderPaid(page);
    const posts = traffic.requests.filter(({ line }) => /^POST .*\/vault\//.test(line));
    assert.deepEqual(
      posts.map(({ line }) => new URL(line.slice("POST ".length)).pathname),
      ["/vault/wallet_tokens"],
    );
    assert.match(posts[0]?.text ?? "", /ECv2/);
  },
);

journey(
  "a customer pays with the wallet on the hosted page on a phone, using only the keyboard",
  async (customer) => {
    const page = await addToBag(customer);
    await page.setViewportSize({ width: 375, height: 667 });
    await payOnFlorinsPage(page);
    const session = sessionIdIn(page.url());
    await page.getByRole("button", { name: "Test wallet" }).focus();
    await page.keyboard.press("Enter");
    const sheet = page.getByRole("dialog", { name: "Test wallet" });
    await sheet.waitFor();
    await page.keyboard.press("ArrowDown");
    assert.equal(await sheet.getByRole("radio", { name: /Mastercard/ }).isChecked(), true);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await waitUntilOrderPaid(page);
    assert.equal(cardOf(await chargesOf(session)).wallet, "test_wallet");
  },
);

journey("a token in the format of Apple Pay pays", async (customer) => {
  const { page, session } = await openSession(customer);
  await payWithWallet(page, /in the format of Apple Pay/);
  await waitForText(page, "Payment complete");
  assert.equal(cardOf(await chargesOf(session)).wallet, "test_wallet");
});

journey("a card that the device has authenticated needs no challenge", async (customer) => {
  const { page, session } = await openSession(customer, { three_d_secure: "always" });
  await payWithWallet(page, /Authenticated on the device/);
  await waitForText(page, "Payment complete");
  assert.deepEqual(cardOf(await chargesOf(session)), {
    wallet: "test_wallet",
    threeDSecure: null,
  });
});

journey("a card number in the wallet passes a 3-D Secure challenge and pays", async (customer) => {
  const { page, session } = await openSession(customer);
  await payWithWallet(page, /Card number only/);
  await enterCode(bankPage(page));
  await waitForText(page, "Payment complete");
  assert.deepEqual(cardOf(await chargesOf(session)), {
    wallet: "test_wallet",
    threeDSecure: "authenticated",
  });
});

journey("after a decline the customer pays with another card of the wallet", async (customer) => {
  const { page, session } = await openSession(customer);
  await payWithWallet(page, /Insufficient funds/);
  await waitForText(page, "has insufficient funds");
  await payWithWallet(page, /Visa.*4242.*Success$/);
  await waitForText(page, "Payment complete");
  assert.deepEqual(
    (await chargesOf(session)).map(({ status }) => status),
    ["succeeded", "failed"],
  );
});

journey("a token that pays one session is rejected by every other session", async (customer) => {
  const { page, session } = await openSession(customer);
  const sent = page.waitForRequest((request) => request.url().endsWith("/vault/wallet_tokens"));
  await payWithWallet(page, /Visa.*4242.*Success$/);
  const { wallet, token } = (await sent).postDataJSON();
  await waitForText(page, "Payment complete");
  const other = await createSession({ amount: 2800 });
  const response = await fetch(`${florin.url}/vault/wallet_tokens`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${new URL(other.embed_url).hash.slice(1)}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ checkout_session_id: other.id, wallet, token }),
  });
  const { error } = (await response.json()) as { error: { code: string } };
  assert.deepEqual([response.status, error.code], [400, "wallet_token_rejected"]);
  assert.equal((await chargesOf(session)).length, 1);
  assert.deepEqual(await chargesOf(other.id), []);
});
