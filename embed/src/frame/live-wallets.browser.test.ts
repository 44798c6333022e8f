import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frame, FrameLocator, Page } from "playwright-core";
import { violationsOf } from "../../../tools/axe.ts";
import { startBrowser } from "../../test/browser.ts";
import type { ScriptedSession } from "../../test/scripted-service.ts";
import { addApplePay, type OpenedApplePay } from "./apple-pay-session.fixture.ts";
import {
  endSheet,
  type GoogleScript,
  googlePayPage,
  openSheet,
  replaceGoogleScript,
} from "./google-pay-script.fixture.ts";
import { applePay, googlePayAt, testWallet } from "./session.fixture.ts";

const { service, newPage } = await startBrowser();
const googlePay = googlePayAt(service.walletsOrigin);

type Shown = Awaited<ReturnType<typeof newPage>> & {
  readonly id: string;
  readonly opened: ReturnType<typeof service.open>;
};

/** Opens the card form of a session with these wallets. */
async function openForm(
  fields: Partial<ScriptedSession>,
  {
    script = "ready",
    options = {},
  }: { script?: GoogleScript; options?: Parameters<typeof newPage>[0] } = {},
): Promise<Shown> {
  const shown = await newPage(options);
  const opened = service.open({ livemode: true, ...fields });
  await replaceGoogleScript(shown.page, script);
  await addApplePay(shown.page);
  await shown.page.goto(opened.embedUrl);
  await shown.page.locator("#number").waitFor();
  return { ...shown, id: opened.id, opened };
}

/** Returns the bodies of the requests that have stored a token of the session. */
function tokensOf({ id }: Pick<Shown, "id">): object[] {
  return service.requests
    .filter(({ path }) => path === "/vault/wallet_tokens")
    .map(({ body }) => JSON.parse(body))
    .filter(({ checkout_session_id }) => checkout_session_id === id);
}

async function bannerOf(page: Page): Promise<string> {
  return (await page.locator(".banner").textContent()) ?? "";
}

test("the sheet of Google Pay shows the session's amount, and a payment with its token succeeds", async () => {
  const form = await openForm({ wallets: [googlePay], amount: 8450, currency: "usd" });
  const frame = await googlePayPage(form.page);
  assert.equal(new URL(frame.url()).origin, service.walletsOrigin);
  const { transactionInfo, merchantInfo, allowedPaymentMethods } = await openSheet(frame);
  assert.deepEqual(transactionInfo, {
    totalPriceStatus: "FINAL",
    totalPrice: "84.50",
    currencyCode: "USD",
    countryCode: "DE",
    checkoutOption: "COMPLETE_IMMEDIATE_PURCHASE",
  });
  assert.deepEqual(merchantInfo, {
    merchantName: "Kiosk Nord",
    merchantId: "12345678901234567890",
  });
  assert.deepEqual(allowedPaymentMethods, [
    {
      type: "CARD",
      parameters: {
        allowedCardNetworks: ["MASTERCARD", "VISA"],
        allowedAuthMethods: ["PAN_ONLY", "CRYPTOGRAM_3DS"],
      },
      tokenizationSpecification: {
        type: "DIRECT",
        parameters: { protocolVersion: "ECv2", publicKey: "BA==" },
      },
    },
  ]);
  await endSheet(frame, { token: "token_of_google" });
  await form.page.getByText("Payment complete").waitFor();
  assert.deepEqual(tokensOf(form), [
    { checkout_session_id: form.id, wallet: "google_pay", token: "token_of_google" },
  ]);
  assert.deepEqual(form.complaints, []);
});

test("a token for an acquirer is sent with the acquirer's assignment", async () => {
  const parameters = { gateway: "adyen", gatewayMerchantId: "KioskNord" };
  const gateway = googlePayAt(service.walletsOrigin, {
    tokenization: { type: "PAYMENT_GATEWAY", parameters },
    assignment: "asgn_1",
  });
  const form = await openForm({ wallets: [gateway] });
  const frame = await googlePayPage(form.page);
  const { allowedPaymentMethods } = await openSheet(frame);
  const [method] = allowedPaymentMethods as { tokenizationSpecification: object }[];
  assert.deepEqual(method?.tokenizationSpecification, { type: "PAYMENT_GATEWAY", parameters });
  await endSheet(frame, { token: "token_for_adyen" });
  await form.page.getByText("Payment complete").waitFor();
  assert.deepEqual(tokensOf(form), [
    {
      checkout_session_id: form.id,
      wallet: "google_pay",
      assignment: "asgn_1",
      token: "token_for_adyen",
    },
  ]);
});

test("after Google Pay was canceled, failed and was declined, a payment with Google Pay succeeds", async () => {
  const form = await openForm({ wallets: [googlePay] });
  const { page } = form;
  const frame = await googlePayPage(page);
  await page.fill("#name", "Ada Lovelace");
  await openSheet(frame);
  await endSheet(frame, { status: "CANCELED" });
  await openSheet(frame);
  assert.equal(await page.locator(".banner").count(), 0);
  await endSheet(frame, { status: "DEVELOPER_ERROR" });
  assert.match(
    await bannerOf(page),
    /Google Pay could not be opened.*You were not charged\. Try again/,
  );
  await openSheet(frame);
  await endSheet(frame, { token: "declined_1" });
  await page.getByText("insufficient funds").first().waitFor();
  assert.equal(await page.locator("[aria-invalid=true]").count(), 0);
  assert.equal(await page.inputValue("#name"), "Ada Lovelace");
  await openSheet(frame);
  await endSheet(frame, { token: "token_2" });
  await page.getByText("Payment complete").waitFor();
  assert.equal(tokensOf(form).length, 2);
});

async function payByCard(page: Page): Promise<void> {
  await page.fill("#number", "4242 4242 4242 4242");
  await page.fill("#expiry", "12 / 30");
  await page.fill("#cvc", "123");
  await page.fill("#name", "Ada Lovelace");
  await page.click(".pay");
  await page.getByText("Payment complete").waitFor();
}

test("after three failures without a payment, the form removes Google Pay, and a payment by card succeeds", async () => {
  const form = await openForm({ wallets: [googlePay] });
  const { page } = form;
  const frame = await googlePayPage(page);
  for (const status of ["DEVELOPER_ERROR", "CANCELED", "DEVELOPER_ERROR"] as const) {
    await openSheet(frame);
    await endSheet(frame, { status });
  }
  await openSheet(frame);
  await endSheet(frame, { token: "declined_1" });
  await page.locator(".google-pay").waitFor({ state: "detached" });
  assert.equal(await page.locator(".or").count(), 0);
  assert.match(await bannerOf(page), /insufficient funds/);
  await payByCard(page);
  assert.deepEqual(form.complaints, []);
});

test("a page that sends one token after another is removed, and a payment by card succeeds", async () => {
  const form = await openForm({ wallets: [googlePay], max_attempts: 100 });
  const { page } = form;
  const frame = await googlePayPage(page);
  await frame.evaluate((nonce) => {
    let opening = 0;
    setInterval(() => {
      opening += 1;
      const sealed = { florin_google_pay: 1, nonce, opening };
      window.parent.postMessage({ ...sealed, type: "opened" }, "*");
      window.parent.postMessage({ ...sealed, type: "token", token: "declined" }, "*");
    }, 5);
  }, new URL(frame.url()).hash.slice(1));
  await page.locator(".google-pay").waitFor({ state: "detached" });
  await payByCard(page);
  assert.ok(tokensOf(form).length <= 3, `${tokensOf(form).length} tokens`);
});

for (const script of ["not_ready", "blocked", "slow"] as const) {
  test(`with Google's script ${script}, the form has no button and no gap, and a payment by card succeeds`, async () => {
    const without = await openForm({ wallets: [] });
    const form = await openForm({ wallets: [googlePay] }, { script });
    const { page } = form;
    const topOf = (one: Page) =>
      one.locator("#number").evaluate((field) => field.getBoundingClientRect().top);
    await page.waitForTimeout(300);
    assert.equal(await topOf(page), await topOf(without.page));
    assert.equal(await page.locator(".or").count(), 0);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
    await payByCard(page);
  });
}

/** Posts a message from this document, with the nonce that the form has created. */
async function forge(
  from: Frame | Page,
  to: "parent" | "top" | "self" | "form" | "wallet",
  message: object,
): Promise<void> {
  await from.evaluate(
    ([target, data]) => {
      const form = document.querySelector("iframe")?.contentWindow as Window;
      const targets = { parent: window.parent, top: window.top, self: window, form };
      const wallet = form?.frames?.[0];
      ({ ...targets, wallet })[target]?.postMessage(data, "*");
    },
    [to, message] as const,
  );
}

test("only the wallet's page can start a payment, once for each opening of its sheet", async () => {
  const { page } = await newPage();
  await replaceGoogleScript(page, "ready");
  const opened = service.open({
    livemode: true,
    wallets: [googlePay],
    allowed_origins: ["http://shop.test:*"],
  });
  await page.goto(`http://shop.test:${new URL(service.origin).port}/shop`);
  await page.evaluate(
    ([src, walletsOrigin]) => {
      const frame = document.createElement("iframe");
      frame.allow = "payment";
      frame.src = src;
      const other = document.createElement("iframe");
      other.src = `${walletsOrigin}/shop`;
      document.body.append(frame, other);
    },
    [opened.embedUrl, service.walletsOrigin] as const,
  );
  const wallet = await googlePayPage(page);
  const nonce = new URL(wallet.url()).hash.slice(1);
  assert.match(nonce, /^[0-9a-f]{32}$/);
  const other = page.frames().find((frame) => frame.url() === `${service.walletsOrigin}/shop`);
  assert(other);
  const envelope = { florin_google_pay: 1, nonce };
  const token = (opening: number) => ({ ...envelope, type: "token", opening, token: "forged" });
  const opening = (number: number) => ({ ...envelope, type: "opened", opening: number });

  // Sends the messages from the shop's page, which has another origin.
  await forge(page, "form", opening(1));
  await forge(page, "form", token(1));
  // Sends them from another window of the wallet's origin.
  await other.evaluate(
    (messages) => {
      for (const message of messages) window.top?.frames[0]?.postMessage(message, "*");
    },
    [opening(1), token(1)],
  );
  // From the wallet's page: without an opening, with another nonce, version, shape or number.
  await forge(wallet, "parent", token(1));
  await forge(wallet, "parent", opening(1));
  for (const changed of [
    { nonce: "0".repeat(32) },
    { florin_google_pay: 2 },
    { further: 1 },
    { opening: 2 },
    { token: "" },
    { token: "x".repeat(10_001) },
    { token: { toString: "x" } },
  ]) {
    await forge(wallet, "parent", { ...token(1), ...changed });
  }
  // The opening ends with a cancellation. After that, the form ignores a token of this opening, and a second opening
  // with the same number.
  await forge(wallet, "parent", { ...envelope, type: "canceled", opening: 1 });
  await forge(wallet, "parent", token(1));
  await forge(wallet, "parent", opening(1));
  await forge(wallet, "parent", token(1));

  // The shop's page cannot change the amount in the sheet.
  await forge(page, "wallet", {
    ...envelope,
    type: "configure",
    request: { total: "0.01", currency: "USD" },
  });
  const { transactionInfo } = await openSheet(wallet);
  assert.equal((transactionInfo as { totalPrice: string }).totalPrice, "84.50");
  // The page has given this opening the number 1. The forged messages have already used this number, so the form
  // ignores the token. The next opening has the number 2.
  await endSheet(wallet, { token: "not_counted" });
  assert.deepEqual(tokensOf(opened), []);
  await openSheet(wallet);
  await endSheet(wallet, { token: "token_2" });
  const form = page.frameLocator("iframe").first();
  await form.getByText("Payment complete").waitFor();
  await forge(wallet, "parent", { ...token(2), token: "token_2" }).catch(() => undefined);
  assert.deepEqual(
    tokensOf(opened).map((body) => (body as { token: string }).token),
    ["token_2"],
  );
});

test("the page with Google Pay's button does nothing on its own and in a frame of another page", async () => {
  const { page } = await newPage();
  await replaceGoogleScript(page, "ready");
  const url = `${googlePay.page_url}#${"a".repeat(32)}`;
  await page.goto(url);
  await page.waitForTimeout(200);
  assert.equal(await page.evaluate(() => "google" in window), false);
  await page.goto(`http://shop.test:${new URL(service.origin).port}/shop`);
  await page.evaluate((src) => {
    Object.assign(window, { received: [] });
    addEventListener("message", ({ data }) => {
      (window as unknown as { received: unknown[] }).received.push(data);
    });
    const frame = document.createElement("iframe");
    frame.src = src;
    document.body.append(frame);
  }, url);
  await page.waitForTimeout(500);
  // The framed page sends its messages only to the service's origin, so the browser does not deliver them to this page.
  assert.deepEqual(
    await page.evaluate(() => (window as unknown as { received: unknown[] }).received),
    [],
  );
});

/** Presses the Apple Pay button, and waits until the form has passed Apple's merchant session on. */
async function openApplePay(page: Page | FrameLocator, frame: Page | Frame): Promise<void> {
  await page.getByRole("button", { name: "Pay with Apple Pay" }).click();
  await frame.waitForFunction(() => {
    const { applePay } = window as unknown as { applePay?: OpenedApplePay };
    return applePay && applePay.calls.length > 0;
  });
}

/** Authorizes the payment in the sheet. Returns what the form has called since the sheet opened. */
function authorize(frame: Page | Frame, data: string): Promise<unknown[]> {
  return frame.evaluate(async (paymentData) => {
    const { applePay } = window as unknown as { applePay: OpenedApplePay };
    await applePay.onpaymentauthorized({
      payment: { token: { paymentData: { data: paymentData } } },
    });
    return applePay.calls;
  }, data);
}

test("Apple Pay shows the session's amount, and its sheet ends with the outcome of the payment", async () => {
  const form = await openForm({ wallets: [applePay], amount: 1999, currency: "eur" });
  const { page } = form;
  await openApplePay(page, page);
  const { version, request } = await page.evaluate(() => {
    const { applePay } = window as unknown as { applePay: OpenedApplePay };
    return { version: applePay.version, request: applePay.request };
  });
  assert.deepEqual(
    [version, request],
    [
      3,
      {
        countryCode: "DE",
        currencyCode: "EUR",
        supportedNetworks: ["masterCard", "visa"],
        merchantCapabilities: ["supports3DS"],
        total: { label: "Kiosk Nord", amount: "19.99", type: "final" },
      },
    ],
  );
  assert.deepEqual(await authorize(page, "declined"), [{ nonce: "n" }, "failure"]);
  assert.match(await bannerOf(page), /insufficient funds/);
  await openApplePay(page, page);
  await page.evaluate(() =>
    (window as unknown as { applePay: OpenedApplePay }).applePay.oncancel(),
  );
  assert.match(await bannerOf(page), /insufficient funds/);
  await openApplePay(page, page);
  assert.deepEqual(await authorize(page, "paid"), [{ nonce: "n" }, "success"]);
  await page.getByText("Payment complete").waitFor();
  assert.deepEqual(tokensOf(form), [
    { checkout_session_id: form.id, wallet: "apple_pay", token: '{"data":"declined"}' },
    { checkout_session_id: form.id, wallet: "apple_pay", token: '{"data":"paid"}' },
  ]);
  const path = `/embed/api/checkout_sessions/${form.id}/apple_pay_session`;
  const validations = service.requests.filter((request) => request.path === path);
  assert.deepEqual(
    validations.map(({ body }) => JSON.parse(body)),
    Array(3).fill({
      validation_url: "https://apple-pay-gateway.apple.com/paymentservices/paymentSession",
      domain: "127.0.0.1",
    }),
  );
  assert.deepEqual(form.complaints, []);
});

test("the sheet of Apple Pay closes without a result if the customer must still confirm the payment", async () => {
  const form = await openForm({ wallets: [applePay] });
  form.opened.onConfirm = (session) => {
    session.attempts += 1;
    Object.assign(session, {
      status: "requires_action",
      next_action: { type: "redirect", url: "/challenge/bank", step: "challenge" },
    });
    return "respond";
  };
  await openApplePay(form.page, form.page);
  assert.deepEqual(await authorize(form.page, "paid"), [{ nonce: "n" }, "abort"]);
});

test("Apple Pay is offered in a shop's frame only with the permission and on a registered domain", async () => {
  const { page } = await newPage();
  await addApplePay(page);
  await page.goto(`http://shop.test:${new URL(service.origin).port}/shop`);
  const offering = (wallet: typeof applePay) =>
    service.open({ wallets: [wallet], allowed_origins: ["http://shop.test:*"] }).embedUrl;
  for (const [embedUrl, allow, buttons] of [
    [offering(applePay), "", 0],
    [offering({ ...applePay, domains: ["127.0.0.1"] }), "payment", 0],
    [offering(applePay), "payment", 1],
  ] as const) {
    await page.evaluate(
      ([src, permission]) => {
        const frame = document.createElement("iframe");
        frame.allow = permission;
        frame.src = src;
        document.querySelector("iframe")?.remove();
        document.body.append(frame);
      },
      [embedUrl, allow] as const,
    );
    const form = page.frameLocator("iframe");
    await form.locator("#number").waitFor();
    assert.equal(await form.locator(".apple-pay").count(), buttons, `allow="${allow}"`);
  }
});

/** These rules apply to whole pages, not to a frame with one button. */
const pageRules = /^(landmark-one-main|page-has-heading-one):/;

test("both buttons fit 320 pixels in the form's language and color, without violations of axe", async () => {
  for (const [language, colorScheme, color] of [
    ["de", "light", "black"],
    ["ar", "dark", "white"],
  ] as const) {
    const { page, opened } = await openForm(
      { wallets: [applePay, googlePay], locale: language },
      { options: { viewport: { width: 320, height: 640 }, colorScheme } },
    );
    const frame = await googlePayPage(page);
    await page.locator(".or").waitFor();
    const found = await page.evaluate(() => {
      const apple = document.querySelector(".apple-pay") as HTMLElement;
      const google = document.querySelector(".google-pay") as HTMLElement;
      return {
        language: apple.lang,
        overflow: document.documentElement.scrollWidth - innerWidth,
        // The frame includes 4 pixels on each side for the focus ring.
        difference: [
          apple.offsetHeight - (google.offsetHeight - 8),
          apple.offsetWidth - (google.offsetWidth - 8),
        ],
        isBelow: google.getBoundingClientRect().top > apple.getBoundingClientRect().bottom,
      };
    });
    const expected = { language, overflow: 0, difference: [0, 0], isBelow: true };
    assert.deepEqual(found, expected, opened.session.locale ?? "");
    const button = frame.locator(`.gpay.${color}[lang=${language}]`);
    assert.equal(
      await button.evaluate((element) => getComputedStyle(element).borderRadius),
      "10px",
    );
    const ofPage = await violationsOf(frame);
    const violations = [...(await violationsOf(page)), ...ofPage];
    assert.deepEqual(
      violations.filter((line) => !pageRules.test(line)),
      [],
      language,
    );
  }
});

test("the last of three wallets is as wide as the two above it", async () => {
  const { page } = await openForm({ wallets: [applePay, googlePay, testWallet] });
  await googlePayPage(page);
  await page.locator(".google-pay[data-ready=true]").waitFor();
  const widths = await page
    .locator(".wallet-buttons, .apple-pay, .wallet")
    .evaluateAll((elements) => elements.map((element) => (element as HTMLElement).offsetWidth));
  const [row = 0] = widths;
  assert.deepEqual(widths, [row, (row - 12) / 2, row]);
});

test("with the shop's own pay button and with forced colors, the wallets' buttons stay visible", async () => {
  const { page } = await newPage({ forcedColors: "active" });
  await replaceGoogleScript(page, "ready");
  await addApplePay(page);
  await page.goto(`${service.open({ wallets: [applePay, googlePay] }).embedUrl}&pay_button=hidden`);
  await googlePayPage(page);
  assert.equal(await page.locator(".pay").isVisible(), false);
  assert.equal(await page.locator(".google-pay").isVisible(), true);
  const border = await page
    .locator(".apple-pay")
    .evaluate((button) => getComputedStyle(button).borderTopColor);
  assert.notEqual(border, "rgba(0, 0, 0, 0)");
});
