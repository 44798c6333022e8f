import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { query } from "./database.ts";
import { journey } from "./journey.ts";
import { addAuthenticatorApp, openMailedLink, signIn, signOut, signUp } from "./person.ts";
import { florin } from "./running-florin.ts";

const stepMs = 30_000;

journey(
  "a user signs up, adds an authenticator app, and signs in with its code",
  async (browser) => {
    const { page, email, password } = await signUp(browser);
    const live = page.url().replace(/\/test.*$/, "/live");
    await page.goto(live);
    await page.getByRole("heading", { name: "Live mode requires two-step verification" }).waitFor();
    const { app, codes } = await addAuthenticatorApp(page);
    assert.equal(codes.length, 10);
    await page.goto(live);
    await page.getByRole("link", { name: "Payments" }).waitFor();

    await signOut(page);
    await signIn(page, { email, password });
    // The setup of the app used the current code, and each code is valid only once. The next code is already accepted.
    const next = app.generate({ timestamp: Date.now() + stepMs });
    await page.getByLabel("Authenticator app code").fill(next);
    await page.getByRole("button", { name: "Sign in" }).click();
    // After the sign-in, the dashboard opens the last account and mode.
    await page.waitForURL(/\/dashboard\/acct_\w+\/live/);
    // The back button skips the sign-in page.
    await page.goBack();
    assert.equal(page.url(), "about:blank");

    await signOut(page);
    await signIn(page, { email, password });
    await page.getByLabel("Authenticator app code").fill(next);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText("is incorrect").waitFor();

    await page.getByRole("button", { name: "Use a recovery code" }).click();
    await page.getByLabel("Recovery code").fill(codes[0] as string);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(/\/dashboard\/acct_\w+\/live/);
    await page.goto(`${florin.dashboardUrl}/settings/security`);
    await page.getByText("9 left").waitFor();
  },
);

journey(
  "a passkey is added, signs in without a password, and confirms the user's identity",
  async (browser) => {
    const { page, email } = await signUp(browser);
    const device = await createDevice(page);
    await page.goto(`${florin.dashboardUrl}/settings/security`);
    await page.getByRole("button", { name: "Add passkey" }).click();
    await page.getByLabel("Name").fill("Journey's key");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("cell", { name: "Journey's key", exact: true }).waitFor();

    await signOut(page);
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await page.waitForURL(/\/dashboard\/acct_\w+\/test/);
    const me = await page.evaluate(() => fetch("/auth/v1/me").then((response) => response.json()));
    assert.deepEqual([me.email, me.session.second_factor], [email, true]);

    // A passkey that the device has lost cannot be used to sign in.
    await device.forget();
    await signOut(page);
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await page.getByRole("alert").waitFor();
  },
);

journey("a sign-out also leaves the pages in the other tabs", async (browser) => {
  const { page, email } = await signUp(browser);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByRole("link", { name: "Payments" }).waitFor();
  await page.getByRole("button", { name: email }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL(/\/dashboard\/sign-in/);
  await other.waitForURL(/\/dashboard\/sign-in/);
  await other.getByRole("button", { name: "Sign in" }).waitFor();
});

journey(
  "a sensitive operation asks for authentication again and then continues automatically",
  async (browser) => {
    const { page, email, password } = await signUp(browser);
    await page.goto(`${florin.dashboardUrl}/settings/security`);
    await query(
      `update sessions set authenticated_at = authenticated_at - interval '11 minutes'
      where person_id = (select id from people where email = $1)`,
      [email],
    );
    await page.getByRole("button", { name: "Set up" }).click();
    const dialog = page.getByRole("dialog", { name: "Confirm it’s you" });
    await dialog.getByLabel("Password").fill("not this one at all");
    await dialog.getByRole("button", { name: "Continue" }).click();
    await dialog.getByRole("alert").getByText("is incorrect").waitFor();
    await dialog.getByLabel("Password").fill(password);
    await dialog.getByLabel("Password").press("Enter");
    await page.getByRole("heading", { name: "Set up authenticator app" }).waitFor();
  },
);

journey("a forgotten password is reset by email", async (browser) => {
  const { page, email } = await signUp(browser);
  await signOut(page);
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await page.getByRole("heading", { name: "Reset your password" }).waitFor();
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("button", { name: "Send link" }).click();
  // The page links to the demo inbox, because the browser stored the inbox's secret during the sign-up.
  await page.getByRole("link", { name: "Read it here" }).click();
  await openMailedLink(page, email);
  await page.getByLabel("New password").fill("eleven loud lighthouses 11");
  await page.getByRole("button", { name: "Set password" }).click();
  await page.getByText("Your password was changed").waitFor();
  await signIn(page, { email, password: "eleven loud lighthouses 11" });
  await page.waitForURL(/\/dashboard\/acct_\w+\/test/);
});

journey("an invited colleague joins the team with their own password", async (browser) => {
  const { page } = await signUp(browser);
  const email = `colleague.${process.pid}@example.com`;
  const [, account = ""] = /\/(acct_\w+)\//.exec(page.url()) ?? [];
  const invited = await page.evaluate(
    async ([account, email]) => {
      const response = await fetch("/api/v1/invitations", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "florin-account": account as string,
          "florin-mode": "test",
        },
        body: JSON.stringify({ email, role: "support" }),
      });
      return response.status;
    },
    [account, email],
  );
  assert.equal(invited, 201);

  await signOut(page);
  await page.goto(`${florin.dashboardUrl}/inbox`);
  await openMailedLink(page, email);
  await page.getByRole("heading", { name: "Join Lighthouse Lamps" }).waitFor();
  await page.getByLabel("Your name").fill("Grace Colleague");
  await page.getByLabel("Password").fill("four patient ferrymen 4");
  await page.getByRole("button", { name: "Join" }).click();
  await page.waitForURL(new RegExp(`/dashboard/${account}/test`));
  const me = await page.evaluate(() => fetch("/auth/v1/me").then((response) => response.json()));
  assert.deepEqual([me.email, me.memberships[0].role], [email, "support"]);
});

/** Adds a virtual WebAuthn authenticator that always reports a successful user verification. */
async function createDevice(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    forget: () => session.send("WebAuthn.clearCredentials", { authenticatorId }),
  };
}
