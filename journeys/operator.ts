import assert from "node:assert/strict";
import type { BrowserContext, Page } from "playwright-core";
import { addAuthenticatorApp } from "./person.ts";
import { florin } from "./running-florin.ts";

type Cookies = Awaited<ReturnType<BrowserContext["cookies"]>>;

/**
 * The cookies of the operator's session. Later calls reuse them, because the setup link and each code of the
 * authenticator app are valid only once.
 */
let session: Cookies | null = null;

/**
 * Opens the admin console as the operator. The first call creates the operator with the setup link that the server
 * printed, and adds the second factor that the admin console requires.
 */
export async function becomeOperator(browser: BrowserContext): Promise<Page> {
  const page = await browser.newPage();
  if (session) {
    await browser.addCookies(session);
    await page.goto(`${florin.dashboardUrl}/operator`);
    await page.getByRole("heading", { name: "Applications" }).waitFor();
    return page;
  }
  assert.ok(florin.operatorSetupUrl);
  await page.goto(florin.operatorSetupUrl);
  await page.getByLabel("Email address").fill("operator@example.com");
  await page.getByLabel("Your name").fill("Olive Operator");
  await page.getByLabel("Password").fill("eleven loud lighthouses 11");
  await page.getByRole("button", { name: "Become operator" }).click();
  await page.waitForURL(/\/settings\/security/);
  await addAuthenticatorApp(page);
  await page.goto(`${florin.dashboardUrl}/operator`);
  await page.getByRole("heading", { name: "Applications" }).waitFor();
  session = await browser.cookies();
  return page;
}
