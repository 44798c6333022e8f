import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import type { BrowserContext, Cookie, Page } from "playwright-core";
import { florin } from "./running-florin.ts";

let count = 0;

type NewPerson = { page: Page; email: string; password: string };

const password = "seven quiet lighthouses 7";

function newEmail(): string {
  count += 1;
  return `founder${count}.${process.pid}@example.com`;
}

/**
 * Signs up with a new email address, but without the pages of the sign-up, which take seconds. Ends on the dashboard of
 * the new account, like `signUp`.
 */
export async function createAccount(browser: BrowserContext): Promise<NewPerson> {
  const email = newEmail();
  const call = async <Result>(path: string, body?: object): Promise<Result> => {
    const secret = new URL(florin.inboxUrl).hash.slice(1);
    const url = new URL(`/auth/v1${path}`, florin.dashboardUrl).href;
    const response = await browser.request.fetch(url, {
      method: body ? "POST" : "GET",
      headers: { "sec-fetch-site": "same-origin", authorization: `Bearer ${secret}` },
      ...(body && { data: body }),
    });
    assert.ok(response.ok(), await response.text());
    return response.json();
  };
  await call("/sign_up", { email });
  const inbox = await call<{ data: { to: string; text: string }[] }>("/inbox");
  const mail = inbox.data.find(({ to }) => to === email);
  const token = /#(\S+)/.exec(mail?.text ?? "")?.[1];
  const chosen = {
    name: "Ada Founder",
    password,
    merchant_name: "Lighthouse Lamps",
    country: "US",
  };
  await call("/sign_up/complete", { token, ...chosen });
  const page = await browser.newPage();
  await page.goto(florin.dashboardUrl);
  await page.waitForURL(/\/dashboard\/acct_\w+\/test/);
  return { page, email, password };
}

/** Signs up with a new email address. Ends on the dashboard of the new account. */
export async function signUp(browser: BrowserContext): Promise<NewPerson> {
  const email = newEmail();
  const page = await browser.newPage();
  await page.goto(`${florin.dashboardUrl}/sign-up`);
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("button", { name: "Continue" }).click();
  await followMailedLink(page, email);
  await page.getByLabel("Your name").fill("Ada Founder");
  await page.getByLabel("Password").fill(password);
  await page.getByLabel("Business name").fill("Lighthouse Lamps");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL(/\/dashboard\/acct_\w+\/test/);
  return { page, email, password };
}

/** Opens the demo inbox, and opens the link in the newest email to this email address. */
export async function followMailedLink(page: Page, email: string): Promise<void> {
  await page.getByText("This demo does not send email").waitFor();
  await page.goto(florin.inboxUrl);
  await openMailedLink(page, email);
}

/** Opens the link in the newest email to this email address. The demo inbox must be open. */
export async function openMailedLink(page: Page, email: string): Promise<void> {
  const emailArticle = page.getByRole("article").filter({ hasText: email }).first();
  await emailArticle.getByRole("link").click();
}

export async function signIn(page: Page, { email, password }: { email: string; password: string }) {
  await page.goto(`${florin.dashboardUrl}/sign-in`);
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** The demo person's session from an earlier journey. `home` is the URL of the overview in test mode. */
let session: {
  readonly cookies: Cookie[];
  readonly signedInAt: number;
  readonly home: string;
} | null = null;

/**
 * Sensitive operations require reauthentication ten minutes after the sign-in. A session is reused only while it is
 * younger than that.
 */
const maxSessionAgeMs = 5 * 60_000;

/**
 * Signs in as the demo person. A sign-in loads two pages, so this function reuses the session of an earlier journey if
 * it is still valid. In this case, the returned page is empty.
 */
export async function signInToDemo(page: Page): Promise<{ page: Page; home: string }> {
  const context = page.context();
  if (session && (await resumeSession(context, session))) return { page, home: session.home };
  await signIn(page, florin.demoPerson);
  await page.waitForURL(/\/dashboard\/acct_\w+\/test/);
  const home = page.url().replace(/\/test.*/, "/test");
  session = { cookies: await context.cookies(), signedInAt: performance.now(), home };
  return { page, home };
}

/** Returns whether the context now has the stored session. A journey may have ended this session. */
async function resumeSession(
  context: BrowserContext,
  { cookies, signedInAt }: NonNullable<typeof session>,
): Promise<boolean> {
  if (performance.now() - signedInAt > maxSessionAgeMs) return false;
  await context.addCookies(cookies);
  // The cookies belong to the dashboard's host name, `localhost`. The host of `florin.url` is an IP address.
  const response = await context.request.get(new URL("/auth/v1/me", florin.dashboardUrl).href);
  if (response.ok()) return true;
  await context.clearCookies();
  return false;
}

export async function signOut(page: Page): Promise<void> {
  // Leave the page first. Otherwise, its redirect to the sign-in page would interrupt the navigation below.
  await page.goto("about:blank");
  await page.context().clearCookies();
  await page.goto(`${florin.dashboardUrl}/sign-in`);
}

/** Sets up an authenticator app. Returns the app and the recovery codes. */
export async function addAuthenticatorApp(page: Page) {
  await page.goto(`${florin.dashboardUrl}/settings/security`);
  await page.getByRole("button", { name: "Set up" }).click();
  const key = await page.getByText("Or enter this key:").locator("span").first().textContent();
  const app = new TOTP({ secret: Secret.fromBase32((key ?? "").replaceAll(/\s/g, "")) });
  await page.getByLabel("Code", { exact: true }).fill(app.generate());
  await page.getByRole("button", { name: "Add app" }).click();
  const shown = page.getByRole("dialog").getByRole("region", { name: "recovery codes" });
  await shown.waitFor();
  // The lines are separate elements, so the text content has no line breaks.
  const [codes = ""] = await shown.allInnerTexts();
  await page.getByRole("button", { name: "Done" }).click();
  return { app, codes: codes.trim().split("\n") };
}

/** Creates a browser context for another person, with separate cookies. */
export async function otherBrowser(browser: BrowserContext): Promise<BrowserContext> {
  const other = await browser.browser()?.newContext({ viewport: { width: 1200, height: 900 } });
  assert.ok(other);
  browser.once("close", () => void other.close());
  return other;
}

/**
 * Calls the API in test mode as the signed-in person, for the account of the open page. Without a body, sends a GET
 * request.
 */
export function callApi<Result>(page: Page, path: string, body?: object): Promise<Result> {
  return page.evaluate(
    async ([path, body]) => {
      const [account = ""] = /acct_\w+/.exec(location.pathname) ?? [];
      const response = await fetch(`/api/v1${path}`, {
        method: body ? "POST" : "GET",
        headers: {
          ...(body && { "content-type": "application/json" }),
          "florin-account": account,
          "florin-mode": "test",
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      return (await response.json()) as Result;
    },
    [path, body] as const,
  );
}
