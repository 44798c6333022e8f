import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { openDashboard } from "../../test/app.ts";
import type { Received } from "../../test/browser.ts";

const mount = await openDashboard();

test("the Back button closes the step-up dialog, and its operation is not executed", async () => {
  const { page, received } = await createCustomer(403, "step_up_required");
  const dialog = page.getByRole("dialog", { name: "Confirm it’s you" });
  await dialog.waitFor();
  await goBack(page);
  await dialog.waitFor({ state: "detached" });

  // The dialog opens again for the next operation.
  await startCreation(page);
  await dialog.getByLabel("Password").fill("seven quiet lighthouses 7");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Customer created.").waitFor();
  assert.equal(creations(received), 3);
});

test("an operation of a page that the person has left opens no step-up dialog", async () => {
  let release = () => {};
  const waiting = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { page } = await createCustomer(403, "step_up_required", waiting);
  await goBack(page);
  const answered = page.waitForResponse("**/api/v1/customers");
  release();
  await answered;
  await startCreation(page);
  await page.getByRole("dialog", { name: "Confirm it’s you" }).waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("dialog").count(), 1);
});

test("after the Back button, a sign-in does not execute an operation that waited for it", async () => {
  const { page, received } = await createCustomer(401, "sign_in_required");
  const dialog = page.getByRole("dialog", { name: "Sign in again" });
  await dialog.getByText("What you entered on this page is still here.").waitFor();
  await goBack(page);
  await dialog.getByText("What you entered").waitFor({ state: "detached" });
  const before = creations(received);
  await dialog.getByLabel("Password").fill("seven quiet lighthouses 7");
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await page.waitForTimeout(300);
  assert.equal(creations(received), before);
});

const creations = (received: readonly Received[]) =>
  received.filter(({ method, path }) => method === "POST" && path === "/api/v1/customers").length;

/** Creates a customer of the second account. The service rejects the request until the person has signed in. */
async function createCustomer(status: number, code: string, until: Promise<void> | null = null) {
  let isRejected = true;
  const mounted = await mount("/dashboard/acct_1/test/customers", async ({ method, path }) => {
    if (path === "/auth/v1/step_up" || path === "/auth/v1/sign_in") {
      isRejected = false;
      return { body: { object: "sign_in", status: "complete" } };
    }
    if (method !== "POST" || path !== "/api/v1/customers") return;
    await until;
    if (isRejected) return { status, body: { error: { code, message: code } } };
    return { body: { id: "cus_1" } };
  });
  const { page } = mounted;
  await page.getByRole("button", { name: /^Shop acct_1/ }).click();
  await page.getByRole("menuitem", { name: /^Shop acct_2/ }).click();
  await page.waitForURL("**/acct_2/test");
  await page.getByRole("link", { name: "Customers" }).click();
  await startCreation(page);
  return mounted;
}

async function startCreation(page: Page) {
  await page.getByRole("button", { name: "Create customer" }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
}

/** Opens the customers of the first account. */
async function goBack(page: Page) {
  await page.evaluate(() => history.go(-2));
  await page.waitForURL("**/acct_1/test/customers");
}
