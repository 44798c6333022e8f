import assert from "node:assert/strict";
import { test } from "node:test";
import type { Me } from "@florin/contract/person.ts";
import { openDashboard, owner } from "../../test/app.ts";

const mount = await openDashboard();

declare const tested: {
  queries: { invalidateQueries(query: object): Promise<void>; clear(): void };
  readingMe: object;
};

test("if a read returns another person, the page drops what the first person entered", async () => {
  let me = owner;
  const { page } = await mount("/dashboard/acct_1/test/customers", ({ path }) =>
    path === "/auth/v1/me" ? { body: me } : undefined,
  );
  await page.getByRole("button", { name: "Create customer" }).first().click();
  await page.getByRole("dialog").getByLabel("Name").fill("Entered by Ada");
  me = { ...owner, id: "per_2", name: "Bea" };
  const loaded = page.waitForEvent("load");
  // The browser reads the person again when the tab is focused.
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

test("a page that the browser restores after a sign-out does not show the person’s data", async () => {
  let isSignedIn = true;
  const { page } = await mount("/dashboard/acct_1/test/customers", ({ path }) =>
    path === "/auth/v1/me" && !isSignedIn ? { status: 401, body: signInRequired } : undefined,
  );
  await page.getByText("Ada", { exact: true }).waitFor();
  isSignedIn = false;
  const restore = () => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
  await page.evaluate(restore);
  await page.getByRole("dialog", { name: "Sign in again" }).waitFor();
  await page.evaluate(() => tested.queries.clear());
  await page.evaluate(restore);
  await page.waitForURL("**/sign-in?next=*");
});

const signInRequired = { error: { code: "sign_in_required", message: "Sign in." } };
const invitation = {
  account_name: "Shop acct_3",
  email: "bea@example.com",
  role: "support",
  invited_by: "Cleo",
  is_known: true,
};
