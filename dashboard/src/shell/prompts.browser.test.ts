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
  const { page } = await createCustomer(403, "step_up_required", { until: waiting });
  await goBack(page);
  const responded = page.waitForResponse("**/api/v1/customers");
  release();
  await responded;
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

test("after a token rotation, an operation is sent again, even if the person has left its page", async () => {
  const { page, received } = await createCustomer(401, "sign_in_required", { rejections: 1 });
  await goBack(page);
  await page.getByText("Customer created.").waitFor();
  assert.equal(creations(received), 2);
});

const creations = (received: readonly Received[]) =>
  received.filter(({ method, path }) => method === "POST" && path === "/api/v1/customers").length;

type Rejection = {
  /** The response is sent when this promise is resolved. */
  readonly until?: Promise<void>;
  /** The number of requests to reject, unless the person signs in earlier. */
  readonly rejections?: number;
};

/** Creates a customer of the second account. The service rejects the request until the person has signed in. */
async function createCustomer(
  status: number,
  code: string,
  { until, rejections = Number.POSITIVE_INFINITY }: Rejection = {},
) {
  let left = rejections;
  const mounted = await mount("/dashboard/acct_1/test/customers", async ({ method, path }) => {
    if (path === "/auth/v1/step_up" || path === "/auth/v1/sign_in") {
      left = 0;
      return { body: { object: "sign_in", status: "complete" } };
    }
    if (method !== "POST" || path !== "/api/v1/customers") return;
    await until;
    if (left-- > 0) return { status, body: { error: { code, message: code } } };
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
