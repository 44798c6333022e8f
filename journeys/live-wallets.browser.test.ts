import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  addApplePay,
  type OpenedApplePay,
} from "@florin/embed/src/frame/apple-pay-session.fixture.ts";
import {
  endSheet,
  googlePayPage,
  openSheet,
  replaceGoogleScript,
} from "@florin/embed/src/frame/google-pay-script.fixture.ts";
import type { Frame, Page } from "playwright-core";
import { startLiveWallets } from "../server/test/live-wallets.ts";
import { until } from "../server/test/until.ts";
import { startTestBrowser } from "../tools/test-browser.ts";

/*
 * Google Pay and Apple Pay in a shop's page, with the service, a fake of Adyen, and stand-ins for the parts of Google
 * and Apple: the script, the browser's API, the sheets, the servers and their root keys.
 */
const live = await startLiveWallets();
after(() => live.close());
const { shop, adyen, wallets: walletServer, merchant, client } = live;
const { newPage } = await startTestBrowser();

const shopOrigin = "https://shop.example";
await client.save(merchant.account, "google_pay");
await client.save(merchant.account, "apple_pay");
const googleKey = await client.activateGoogleKey(merchant.account);
const appleKey = await client.activateCertifiedKey(merchant.account, "payment_processing");
await client.activateCertifiedKey(merchant.account, "merchant_identity");

/** The policy of a strict shop: it allows the loader and the form's frame, and nothing of Google. */
const shopPolicy = `default-src 'none'; script-src ${shop.url}; frame-src ${shop.url}; img-src data:; require-trusted-types-for 'script'`;

type OpenedForm = { readonly page: Page; readonly complaints: string[]; readonly session: string };

/** Opens a shop's page with the card form of a new session. */
async function openShop(params: object = {}): Promise<OpenedForm> {
  const body = { amount: 1999, currency: "usd", allowed_origins: [shopOrigin], ...params };
  const created = await shop.post("/checkout_sessions", body, { as: merchant.key });
  assert.equal(created.status, 201, created.text);
  const { session, embed_url } = created.body;
  // Grants this permission, because Chromium would otherwise prompt the user before a public page, such as the shop's,
  // loads something from this machine.
  const { page, complaints } = await newPage({ permissions: ["local-network-access"] });
  await replaceGoogleScript(page, "ready");
  await addApplePay(page);
  await page.route(`${shopOrigin}/**`, (route) =>
    route.fulfill({
      contentType: "text/html",
      headers: { "content-security-policy": shopPolicy },
      body: `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><div id="pay"></div><script src="${shop.url}/embed.js" data-embed-url="${embed_url}" data-target="#pay"></script>`,
    }),
  );
  await page.goto(`${shopOrigin}/cart`);
  return { page, complaints, session: session.id };
}

function formIn(page: Page) {
  return page.frameLocator("#pay iframe");
}

type Charge = {
  readonly id: string;
  readonly status: string;
  readonly payment_method_details: { readonly card: { readonly wallet?: string } };
};

async function chargesOf({ session }: OpenedForm): Promise<Charge[]> {
  const path = `/charges?checkout_session_id=${session}`;
  return (await shop.get(path, { as: merchant.key })).body.data;
}

async function paidWith(form: OpenedForm): Promise<string | undefined> {
  const [charge] = await until(
    () => chargesOf(form),
    (charges) => charges[0]?.status === "succeeded",
  );
  assert(charge);
  assert.equal((await adyen.paymentOf(charge.id)).capturedValue, 1999);
  return charge.payment_method_details.card.wallet;
}

test("a customer cancels Google Pay and then pays with it, and no policy is violated", async () => {
  const form = await openShop();
  const wallet = await googlePayPage(form.page);
  assert.equal(new URL(wallet.url()).hostname, "localhost");
  await openSheet(wallet);
  await endSheet(wallet, { status: "CANCELED" });
  assert.deepEqual(await chargesOf(form), []);
  const { transactionInfo, merchantInfo } = await openSheet(wallet);
  const { totalPrice, currencyCode } = transactionInfo as Record<string, string>;
  assert.deepEqual([totalPrice, currencyCode], ["19.99", "USD"]);
  assert.deepEqual(merchantInfo, { merchantName: "Fieldware", merchantId: "BCR2DN4TXYZ" });
  await endSheet(wallet, { token: live.googleToken(googleKey) });
  await formIn(form.page).getByText("Payment complete").waitFor();
  assert.equal(await paidWith(form), "google_pay");
  assert.deepEqual(form.complaints, []);
});

test("a declined Google Pay shows the decline, and the form stays open", async () => {
  const form = await openShop({ billing_details: { name: "DECLINED : 51 : FUNDS" } });
  const wallet = await googlePayPage(form.page);
  await openSheet(wallet);
  await endSheet(wallet, { token: live.googleToken(googleKey) });
  await formIn(form.page).locator(".banner").waitFor();
  assert.equal(await formIn(form.page).locator(".google-pay").isVisible(), true);
  assert.deepEqual(
    (await chargesOf(form)).map(({ status }) => status),
    ["failed"],
  );
});

/** Returns the document of the card form. */
function documentOfForm(page: Page): Frame {
  const frame = page.frames().find((one) => one.url().startsWith(`${shop.url}/embed/`));
  assert(frame);
  return frame;
}

/** Opens the Apple Pay sheet and authorizes the payment. Returns the status with which the sheet closes. */
async function payWithApple(page: Page, amount: number): Promise<unknown> {
  await formIn(page).getByRole("button", { name: "Pay with Apple Pay" }).click();
  const frame = documentOfForm(page);
  await frame.waitForFunction(() => {
    const { applePay } = window as unknown as { applePay?: OpenedApplePay };
    return applePay && applePay.calls.length === 1;
  });
  const token = live.appleToken(appleKey, { amount });
  return frame.evaluate(async (text) => {
    const { applePay } = window as unknown as { applePay: OpenedApplePay };
    await applePay.onpaymentauthorized({ payment: { token: { paymentData: JSON.parse(text) } } });
    return applePay.calls.at(-1);
  }, token);
}

test("a customer pays with Apple Pay on the shop's domain, but not with the approval of another amount", async () => {
  const form = await openShop();
  assert.equal(await payWithApple(form.page, 1), "failure");
  await formIn(form.page).getByText("Your payment could not be started").first().waitFor();
  assert.deepEqual(await chargesOf(form), []);
  assert.equal(await payWithApple(form.page, 1999), "success");
  await formIn(form.page).getByText("Payment complete").waitFor();
  assert.equal(await paidWith(form), "apple_pay");
  const { body } = walletServer.requests.at(-1) ?? {};
  assert.equal((body as { initiativeContext?: string }).initiativeContext, "shop.example");
  assert.deepEqual(
    form.complaints.filter((line) => !/status of 400/.test(line)),
    [],
  );
});
