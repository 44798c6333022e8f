import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { testWallet } from "../embed/src/frame/session.fixture.ts";
import { type ScriptedSession, startScriptedService } from "../embed/test/scripted-service.ts";
import { chromiumOptions } from "../tools/chromium.ts";

/**
 * Takes screenshots of every state of the card form in both color schemes, on a phone and on a desktop, and of every
 * theme and language. Arranges them in images in docs/images/embed:
 *
 *   npm run screenshots
 */
const directory = resolve(import.meta.dirname, "../docs/images/embed");
const phone = { width: 375, height: 812 };
const desktop = { width: 1120, height: 720 };

type Screenshot = { readonly caption: string; readonly png: Buffer };
type Scene = {
  readonly caption: string;
  readonly params: Partial<ScriptedSession>;
  readonly query?: string;
  readonly fragment?: string;
  readonly act?: (page: Page) => Promise<void>;
};

const order = {
  description: "Order 1042",
  line_items: [
    { name: "Moon vase", quantity: 1, amount: 9600 },
    { name: "Morning cup", quantity: 2, amount: 2800 },
  ],
  amount: 15200,
  cancel_url: "https://shop.example/cart",
  success_url: null,
};
const insufficientFunds = {
  code: "card_declined",
  decline_code: "insufficient_funds",
  message: "",
} as const;
const inAnHour = Math.floor(Date.now() / 1000) + 3_600;
const inFourMinutes = Math.floor(Date.now() / 1000) + 240;

const saved = (brand: "visa" | "mastercard", last4: string, id: string) => ({
  payment_method_id: `pm_${id}` as const,
  brand,
  last4,
  exp_month: 4,
  exp_year: 2031,
});

const states: readonly Scene[] = [
  {
    caption: "open, with the option to save the card",
    params: { ...order, save_payment_method: true },
  },
  {
    caption: "with saved cards",
    params: {
      ...order,
      saved_cards: [saved("visa", "4242", "1"), saved("mastercard", "4444", "2")],
    },
  },
  {
    caption: "co-badged card",
    params: {
      ...order,
      co_badged: [{ prefix: "4000002500001", networks: ["visa", "cartes_bancaires"] }],
    },
    act: (page) => fill(page, { number: "4000002500001001" }),
  },
  { caption: "with a wallet", params: { ...order, wallets: [testWallet] } },
  {
    caption: "choosing a card of the wallet",
    params: { ...order, wallets: [testWallet] },
    act: async (page) => {
      await page.locator(".wallet").click();
      await page.locator("dialog[open]").waitFor();
    },
  },
  { caption: "filled in", params: order, act: (page) => fill(page) },
  {
    caption: "invalid entries",
    params: order,
    act: async (page) => {
      await fill(page, { number: "4242424242424241", cvc: "1" });
      await page.click(".pay");
      await page.locator(".problem").first().waitFor();
    },
  },
  {
    caption: "paying",
    params: order,
    act: async (page) => {
      await page.route("**/vault/cards", () => undefined);
      await fill(page);
      await page.click(".pay");
    },
  },
  {
    caption: "declined",
    params: {
      ...order,
      attempts: 4,
      last_payment_error: insufficientFunds,
      expires_at: inFourMinutes,
    },
  },
  {
    caption: "requires action",
    params: {
      ...order,
      status: "requires_action",
      next_action: {
        type: "redirect",
        url: "/challenge/bank",
        step: "challenge",
        expires_at: inAnHour,
      },
    },
  },
  { caption: "processing", params: { ...order, status: "processing" } },
  { caption: "complete", params: { ...order, status: "complete", payment_status: "paid" } },
  { caption: "authorized", params: { ...order, status: "complete", payment_status: "authorized" } },
  { caption: "expired", params: { ...order, status: "expired" } },
  { caption: "canceled", params: { ...order, status: "canceled" } },
  {
    caption: "failed",
    params: { ...order, status: "failed", last_payment_error: insufficientFunds },
  },
];

const themes: readonly Scene[] = [
  { caption: "calm", params: order, act: fill },
  { caption: "night", params: order, fragment: "&theme=night", act: fill },
  { caption: "plain", params: order, fragment: "&theme=plain", act: fill },
  {
    caption: "custom tokens",
    params: order,
    fragment:
      "&accent=%23ff6a3d&radius=18px&fieldRadius=12px&buttonRadius=28px&buttonHeight=56px&font=Georgia,serif&background=%23fff6ef&fieldBorder=%23c99d86&labelWeight=600",
    act: fill,
  },
];

const languages: readonly Scene[] = [
  "ar",
  "de",
  "en",
  "es",
  "fr",
  "he",
  "it",
  "ja",
  "nl",
  "pl",
  "pt-BR",
  "zh-CN",
].map((tag) => ({
  caption: tag,
  params: {
    ...order,
    description: null,
    attempts: 1,
    last_payment_error: insufficientFunds,
    currency: "eur",
  },
  query: `?locale=${tag}`,
}));

async function fill(page: Page, params: { number?: string; cvc?: string } = {}): Promise<void> {
  await page.fill("#number", params.number ?? "4242424242424242");
  await page.fill("#expiry", "12/30");
  await page.fill("#cvc", params.cvc ?? "123");
  await page.fill("#name", "Ada Lovelace");
  await page.locator("#name").blur();
}

const service = await startScriptedService();
const browser = await chromium.launch(chromiumOptions());
try {
  await mkdir(directory, { recursive: true });
  for (const colorScheme of ["light", "dark"] as const) {
    const onPhone = await takeScreenshots(browser, states, { viewport: phone, colorScheme });
    await writeSheet(browser, `states-phone-${colorScheme}`, onPhone, { columns: 3, width: 250 });
    const onDesktop = await takeScreenshots(browser, states, { viewport: desktop, colorScheme });
    await writeSheet(browser, `states-desktop-${colorScheme}`, onDesktop, {
      columns: 2,
      width: 640,
    });
  }
  const themeScreenshots = await takeScreenshots(browser, themes, {
    viewport: desktop,
    colorScheme: "light",
  });
  await writeSheet(browser, "themes", themeScreenshots, { columns: 2, width: 640 });
  const languageScreenshots = await takeScreenshots(browser, languages, {
    viewport: phone,
    colorScheme: "light",
  });
  await writeSheet(browser, "languages", languageScreenshots, { columns: 3, width: 250 });
} finally {
  await browser.close();
  await service.close();
}

async function takeScreenshots(
  on: Browser,
  scenes: readonly Scene[],
  options: BrowserContextOptions,
): Promise<Screenshot[]> {
  const context = await on.newContext({ ...options, reducedMotion: "reduce", locale: "en-US" });
  const screenshots: Screenshot[] = [];
  for (const { caption, params, query = "", fragment = "", act } of scenes) {
    const page = await context.newPage();
    const [url, secret] = service.open(params).embedUrl.split("#") as [string, string];
    await page.goto(`${url}${query}#${secret}${fragment}`);
    await page.locator("#florin:not([aria-busy])").waitFor();
    await act?.(page);
    await page.waitForTimeout(150);
    const isPhone = options.viewport?.width === phone.width;
    screenshots.push({ caption, png: await page.screenshot({ fullPage: isPhone }) });
    await page.close();
  }
  await context.close();
  return screenshots;
}

/** Arranges screenshots with captions in one image, and writes the image to the directory. */
async function writeSheet(
  on: Browser,
  name: string,
  screenshots: readonly Screenshot[],
  { columns, width }: { columns: number; width: number },
): Promise<void> {
  const page = await on.newPage({ viewport: { width: columns * (width + 24) + 24, height: 400 } });
  const figures = screenshots.map(
    ({ caption, png }) =>
      `<figure><img src="data:image/png;base64,${png.toString("base64")}"><figcaption>${caption}</figcaption></figure>`,
  );
  await page.setContent(`<style>
    body { margin: 0; padding: 24px; display: grid; grid-template-columns: repeat(${columns}, ${width}px); gap: 24px;
      align-items: start; background: #9aa39e; font: 600 14px/1.5 system-ui, sans-serif }
    figure { margin: 0 } img { width: 100%; display: block; border-radius: 6px }
    figcaption { padding-top: 6px; text-align: center; color: #17201b }
  </style>${figures.join("")}`);
  await page.screenshot({ path: join(directory, `${name}.png`), fullPage: true });
  await page.close();
}
