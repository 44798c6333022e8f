import assert from "node:assert/strict";
import { test } from "node:test";
import { openDashboard } from "../../../test/app.ts";

const mount = await openDashboard();

test("editing an endpoint sends only the fields that the person has changed", async () => {
  const changes: unknown[] = [];
  const endpoint = {
    id: "we_1",
    object: "webhook_endpoint",
    url: "https://shop.example/webhooks",
    description: "Shop",
    enabled_events: ["payment_failed", "payment.succeeded"],
    status: "enabled",
    failing_since: null,
    failures: 0,
    backoff_until: null,
    last_failure: null,
    metadata: {},
    livemode: false,
    created: 1_700_000_000,
    version: 1,
  };
  const { page } = await mount("/dashboard/acct_1/test/webhooks/we_1", ({ method, path, body }) => {
    if (path !== "/api/v1/webhook_endpoints/we_1") return;
    if (method === "POST") changes.push(JSON.parse(body));
    return { body: endpoint };
  });
  const save = async (field: string, value: string) => {
    await page.getByRole("button", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(field).fill(value);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
  };
  await save("Description", "");
  await save("Endpoint URL", "https://shop.example/other");
  assert.deepEqual(changes, [{ description: null }, { url: "https://shop.example/other" }]);
});
