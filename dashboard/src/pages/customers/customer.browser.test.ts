import assert from "node:assert/strict";
import { test } from "node:test";
import { openDashboard } from "../../../test/app.ts";

const mount = await openDashboard();

const id = `cus_${"1".repeat(26)}`;

/** Opens a customer. The responses to changes of the customer wait for the promise. */
async function openCustomer(path: string, until = Promise.resolve()) {
  const customer = { id, object: "customer", name: "Ada", email: "ada@example.com" };
  const stored = { ...customer, metadata: {}, created: 1_700_000_000, version: 1 };
  const changes: unknown[] = [];
  const mounted = await mount(path, async ({ method, path, body }) => {
    if (path !== `/api/v1/customers/${id}`) return;
    if (method === "GET") return { body: stored };
    await until;
    if (method === "POST") changes.push(JSON.parse(body));
    return { body: stored };
  });
  return { ...mounted, stored, changes };
}

test("editing a customer does not revert what another person has changed in the meantime", async () => {
  const { page, stored, changes } = await openCustomer(`/dashboard/acct_1/test/customers/${id}`);
  await page.getByRole("button", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog");
  stored.email = "ada@new.example";
  // Reads the customer again, as the page does when its tab gets the focus.
  await page.evaluate(() => void tested.queries.invalidateQueries());
  await page.getByText("ada@new.example").waitFor();
  await dialog.getByLabel("Name").fill("Ada L.");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Customer updated.").waitFor();
  assert.deepEqual(changes, [{ name: "Ada L." }]);
});

test("after a deletion, the list of customers is shown", async () => {
  const { page } = await openCustomer(`/dashboard/acct_1/test/customers/${id}`);
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.waitForURL("**/acct_1/test/customers");
});

test("the response to a deletion opens no page if the person has left the page", async () => {
  let release = () => {};
  const waiting = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { page } = await openCustomer(`/dashboard/acct_1/test/customers/${id}`, waiting);
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  // Opens another page behind the dialog, as the Back button does.
  await page.locator("a", { hasText: "Refunds" }).first().dispatchEvent("click");
  await page.getByRole("heading", { name: "Refunds" }).waitFor();
  release();
  await page.getByText("Customer deleted.").waitFor();
  await page.waitForTimeout(200);
  assert.match(page.url(), /\/refunds$/);
});

declare const tested: { queries: { invalidateQueries(): Promise<void> } };
