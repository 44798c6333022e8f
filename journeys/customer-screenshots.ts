import { test } from "node:test";
import type { MailBrand } from "@florin/server/platform/mail/mail.ts";
import { mailHtml } from "@florin/server/platform/mail/mail-html.ts";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { chromiumOptions } from "../tools/chromium.ts";
import {
  addToBag,
  bankPage,
  challengedCard,
  enterCode,
  insufficientFundsCard,
  pay,
  payInFrame,
  payOnFlorinsPage,
  typeCard,
  validCard,
  waitForText,
  waitUntilOrderPaid,
} from "./customer.ts";
import { query } from "./database.ts";
import { createSession } from "./merchant-api.ts";
import { florin } from "./running-florin.ts";
import { newWindow, screenshotInThemes, sizeNames, themes } from "./screenshot.ts";

/**
 * Takes screenshots of the pages that customers and readers of the documentation see, in both themes, on a desktop and
 * on a phone: the demo shop, the hosted page, 3-D Secure, receipts, the documentation and error pages. Runs in `npm run
 * screenshots`.
 */
type Scene = {
  readonly name: string;
  /** Opens the page and brings it to the state that the screenshot shows. */
  readonly open: (customer: BrowserContext) => Promise<Page>;
  /** False if a sheet covers the page. The screenshot then shows only the window. */
  readonly fullPage?: boolean;
};

const order = {
  amount: 15_200,
  description: "Order 1042",
  line_items: [
    { name: "Moon vase", quantity: 1, amount: 9_600 },
    { name: "Morning cup", quantity: 2, amount: 2_800 },
  ],
};

/** Opens the hosted page of a new session. */
async function openHosted(
  customer: BrowserContext,
  params: Parameters<typeof createSession>[0] = order,
  locale = "en",
): Promise<Page> {
  const { embed_url } = await createSession(params);
  const [address, fragment] = embed_url.split("#");
  return openUrl(customer, `${address}?locale=${locale}#${fragment}`, "#florin:not([aria-busy])");
}

async function openUrl(customer: BrowserContext, url: string, selector = "body"): Promise<Page> {
  const page = await customer.newPage();
  await page.goto(new URL(url, florin.url).href);
  await page.locator(selector).first().waitFor();
  return page;
}

/** Scrolls to the end, because the documentation colors code only when it becomes visible. Runs inside the page. */
async function scrollThrough(): Promise<void> {
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  for (let y = 0; y < document.documentElement.scrollHeight; y += window.innerHeight) {
    window.scrollTo(0, y);
    await nextFrame();
    await nextFrame();
  }
}

/** Pays in the shop up to the issuer's page, which is in a sheet over the shop. */
async function openShopChallenge(customer: BrowserContext): Promise<Page> {
  const page = await addToBag(customer);
  await pay(await payInFrame(page), challengedCard);
  await bankPage(page).getByLabel("Verification code").waitFor();
  return page;
}

/** The receipt of the newest payment, as mail programs show it. */
async function openReceipt(customer: BrowserContext): Promise<Page> {
  const { embed_url } = await createSession({ ...order, customer_email: "ada@example.com" });
  const page = await openUrl(customer, embed_url);
  await pay(page, validCard);
  await waitForText(page, "Payment complete");
  const [charge] = (await florin.api<{ data: { id: string }[] }>("GET", "/charges?limit=1")).data;
  await florin.api("POST", "/receipts", { charge_id: charge?.id });
  type Row = {
    subject: string;
    body: string;
    action: string | null;
    brand: MailBrand | null;
    language: string | null;
  };
  const [mail] = await query<Row>(
    "select subject, body, action, brand, language from mails where recipient = 'ada@example.com' order by id desc limit 1",
  );
  if (!mail) throw new Error("The receipt was not queued.");
  const { subject, body, action, brand, language } = mail;
  const texts = { to: "ada@example.com", subject, text: body };
  const more = {
    ...(action && { action }),
    ...(brand && { brand }),
    ...(language && { language }),
  };
  // The hosted page's CSP blocks the email's inline styles.
  await page.goto("about:blank");
  await page.setContent(mailHtml({ ...texts, ...more }, florin.url));
  return page;
}

const scenes: readonly Scene[] = [
  { name: "shop", open: (customer) => openUrl(customer, florin.shopUrl) },
  { name: "shop-bag", open: addToBag },
  {
    name: "shop-card-form",
    async open(customer) {
      const page = await addToBag(customer);
      await typeCard(await payInFrame(page), validCard);
      return page;
    },
  },
  {
    name: "shop-declined",
    async open(customer) {
      const page = await addToBag(customer);
      const form = await payInFrame(page);
      await pay(form, insufficientFundsCard);
      await waitForText(form, "has insufficient funds");
      return page;
    },
  },
  {
    name: "shop-3d-secure",
    fullPage: false,
    open: openShopChallenge,
  },
  {
    name: "shop-3d-secure-cancel",
    fullPage: false,
    async open(customer) {
      const page = await openShopChallenge(customer);
      await enterCode(bankPage(page), "000000");
      await page.locator("florin-overlay").getByRole("button", { name: "Close" }).click();
      return page;
    },
  },
  {
    name: "shop-thank-you",
    async open(customer) {
      const page = await addToBag(customer);
      await pay(await payInFrame(page), validCard);
      await waitUntilOrderPaid(page);
      return page;
    },
  },
  {
    name: "shop-webhooks",
    async open(customer) {
      const page = await addToBag(customer);
      await pay(await payInFrame(page), validCard);
      await waitUntilOrderPaid(page);
      await page.getByRole("link", { name: "Webhooks" }).click();
      await page.getByRole("heading", { name: "Received webhooks" }).waitFor();
      return page;
    },
  },
  { name: "shop-unknown", open: (customer) => openUrl(customer, `${florin.shopUrl}/unknown`) },
  { name: "hosted", open: (customer) => openHosted(customer) },
  {
    name: "hosted-kwd",
    open: (customer) => openHosted(customer, { amount: 499_999_999, currency: "kwd" }),
  },
  {
    name: "hosted-arabic",
    open: (customer) => openHosted(customer, { ...order, currency: "kwd" }, "ar"),
  },
  {
    name: "hosted-invalid",
    async open(customer) {
      const page = await openHosted(customer);
      await pay(page, { number: "4242424242424241", expiry: "01/20", cvc: "1" });
      await page.locator(".problem").first().waitFor();
      return page;
    },
  },
  {
    name: "hosted-declined",
    async open(customer) {
      const page = await openHosted(customer);
      await pay(page, insufficientFundsCard);
      await waitForText(page, "has insufficient funds");
      return page;
    },
  },
  {
    name: "hosted-from-shop",
    async open(customer) {
      return payOnFlorinsPage(await addToBag(customer));
    },
  },
  {
    name: "hosted-bank",
    async open(customer) {
      const page = await openHosted(customer);
      await pay(page, challengedCard);
      await bankPage(page).getByLabel("Verification code").waitFor();
      return page;
    },
  },
  {
    name: "hosted-bank-wrong-code",
    async open(customer) {
      const page = await openHosted(customer);
      await pay(page, challengedCard);
      await enterCode(bankPage(page), "000000");
      await bankPage(page).getByRole("alert").waitFor();
      return page;
    },
  },
  {
    name: "hosted-bank-cancel",
    async open(customer) {
      const page = await openHosted(customer);
      await pay(page, challengedCard);
      await bankPage(page).getByLabel("Verification code").waitFor();
      await page.getByRole("button", { name: "Cancel payment" }).click();
      return page;
    },
  },
  {
    name: "hosted-complete",
    async open(customer) {
      const page = await openHosted(customer);
      await pay(page, validCard);
      await waitForText(page, "Payment complete");
      return page;
    },
  },
  { name: "hosted-unknown", open: (customer) => openUrl(customer, "/embed/cs_damaged") },
  { name: "receipt", open: openReceipt },
  { name: "unknown-address", open: (customer) => openUrl(customer, "/unknown") },
  {
    name: "dashboard-unknown",
    open: (customer) => openUrl(customer, `${florin.dashboardUrl}/no-such-page`, "h1"),
  },
  { name: "challenge-unknown", open: (customer) => openUrl(customer, "/challenge/unknown") },
  ...[
    "",
    "/guides/accept-a-payment",
    "/guides/webhooks",
    "/guides/card-form",
    "/api/charges",
    "/api/errors",
    "/unknown",
  ].map((path) => ({
    name: `docs${path.replaceAll("/", "-")}`,
    async open(customer: BrowserContext) {
      const page = await openUrl(customer, `/docs${path}`, "h1");
      await page.evaluate(scrollThrough);
      return page;
    },
  })),
];

test("takes screenshots of the pages of customers and readers", async () => {
  const browser = await chromium.launch(chromiumOptions());
  try {
    for (const size of sizeNames) {
      for (const { name, open, fullPage = true } of scenes) {
        // A sheet keeps the theme in which it was opened.
        for (const only of fullPage ? [themes] : themes.map((theme) => [theme])) {
          const customer = await newWindow(browser, size, only[0]);
          await screenshotInThemes(await open(customer), `${name}-${size}`, { fullPage, only });
          await customer.close();
        }
      }
    }
  } finally {
    await browser.close();
  }
});
