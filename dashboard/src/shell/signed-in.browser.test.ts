import assert from "node:assert/strict";
import { test } from "node:test";
import type { Me } from "@florin/contract/person.ts";
import { openDashboard, owner } from "../../test/app.ts";

const mount = await openDashboard();

declare const tested: {
  queries: { invalidateQueries(query: object): Promise<void> };
  readingMe: object;
};

/** Dispatches the event that the browser fires when it restores a page from its back/forward cache. */
const restore = () => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));

test("if a read returns another person, the page drops what the first person entered", async () => {
  let me = owner;
  const { page } = await mount("/dashboard/acct_1/test/customers", ({ path }) =>
    path === "/auth/v1/me" ? { body: me } : undefined,
  );
  await page.getByRole("button", { name: "Create customer" }).first().click();
  await page.getByRole("dialog").getByLabel("Name").fill("Entered by Ada");
  me = { ...owner, id: "per_2", name: "Bea" };
  const loaded = page.waitForEvent("load");
  // Reads the person again, as the page does when its tab gets the focus.
  await page.evaluate(() => void tested.queries.invalidateQueries(tested.readingMe));
  await loaded;
  await page.getByText("Bea").waitFor();
  assert.equal(await page.getByRole("dialog").count(), 0);
});

test("a sign-in on the page of an invitation reloads the other tabs, which show another person", async () => {
  let me: Me | null = owner;
  const { page } = await mount("/dashboard/acct_1/test/customers", ({ path }) => {
    if (path === "/auth/v1/me") return me ? { body: me } : { status: 401, body: signInRequired };
    if (path === "/auth/v1/invitations/read") return { body: invitation };
    if (path !== "/auth/v1/sign_in") return;
    me = { ...owner, id: "per_2", name: "Bea" };
    return { body: { object: "sign_in", status: "complete" } };
  });
  await page.getByRole("button", { name: "Create customer" }).first().click();
  me = null;
  const other = await page.context().newPage();
  await other.goto(new URL("/dashboard/invitation#token", page.url()).href);
  await other.getByLabel("Password").fill("seven quiet lighthouses 7");
  await other.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Bea").waitFor();
  assert.equal(await page.getByRole("dialog").count(), 0);
});

test("a page that the browser restores after the session has ended asks to sign in again", async () => {
  let isSignedIn = true;
  const { page } = await mount("/dashboard/acct_1/test/customers", ({ path }) =>
    path === "/auth/v1/me" && !isSignedIn ? { status: 401, body: signInRequired } : undefined,
  );
  await page.getByText("Ada", { exact: true }).waitFor();
  isSignedIn = false;
  await page.evaluate(restore);
  await page.getByRole("dialog", { name: "Sign in again" }).waitFor();
});

test("a page that the browser restores keeps the token of an emailed link, and the input", async () => {
  const { page } = await mount("/dashboard/reset#token", ({ path }) =>
    path === "/auth/v1/links/read"
      ? { body: { purpose: "reset_password", email: "ada@example.com" } }
      : undefined,
  );
  const password = page.getByLabel("New password");
  await password.fill("seven quiet lighthouses 7");
  await page.evaluate(restore);
  await page.waitForTimeout(300);
  assert.equal(await password.inputValue(), "seven quiet lighthouses 7");
});

const signInRequired = { error: { code: "sign_in_required", message: "Sign in." } };
const invitation = {
  account_name: "Shop acct_3",
  email: "bea@example.com",
  role: "support",
  invited_by: "Cleo",
  is_known: true,
};
