import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { journey } from "./journey.ts";
import { signUp } from "./person.ts";
import { florin } from "./running-florin.ts";

const run = promisify(execFile);

journey(
  "a new merchant creates a key, charges with curl, views the payment, refunds it and resends its webhook",
  async (browser) => {
    await using shop = await startReceiver();
    const { page } = await signUp(browser);
    const home = page.url().replace(/\/test.*/, "/test");

    await page.goto(`${home}/start`);
    await page.getByRole("button", { name: "Create test key" }).click();
    const key = await page.getByRole("region", { name: "test key", exact: true }).textContent();
    assert.match(key ?? "", /^sk_test_/);

    await page.goto(`${home}/webhooks`);
    await page.getByRole("button", { name: "Add endpoint" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Endpoint URL").fill(`${shop.url}/webhooks`);
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    const secret = await dialog.getByRole("region", { name: "signing secret" }).textContent();
    assert.match(secret ?? "", /^whsec_/);
    await dialog.getByRole("button", { name: "Done" }).click();

    const charge = await chargeByCurl(key as string);
    await shop.waitForWebhook("payment.succeeded");

    await page.goto(`${home}/payments`);
    await page.getByRole("link", { name: /\$42\.00/ }).click();
    await page.waitForURL(`${home}/payments/${charge}`);
    await page.getByText("Payment succeeded").waitFor();

    await page.getByRole("button", { name: "Refund" }).click();
    await dialog.getByLabel("Reason").selectOption("requested_by_customer");
    await dialog.getByRole("button", { name: "Refund $42.00" }).click();
    await page.getByText("Refunded", { exact: true }).first().waitFor();
    await shop.waitForWebhook("refund.succeeded");

    await resend(page, "payment.succeeded");
    await shop.waitForWebhook("payment.succeeded", 2);
  },
);

/** Creates a charge with curl, as on the page "First payment". */
async function chargeByCurl(key: string): Promise<string> {
  const { stdout } = await run("curl", [
    "--silent",
    `${florin.url}/api/v1/charges`,
    "--user-agent",
    "curl",
    "-H",
    `Authorization: Bearer ${key}`,
    "-H",
    "Content-Type: application/json",
    "-d",
    '{"amount":4200,"currency":"usd","payment_method_id":"pm_card_visa"}',
  ]);
  const { id, status } = JSON.parse(stdout) as { id: string; status: string };
  assert.equal(status, "succeeded", stdout);
  return id;
}

/** Opens the delivery of an event from the payment's page and resends it. */
async function resend(page: Page, event: string): Promise<void> {
  const deliveries = page.getByRole("region", { name: "Webhook deliveries" });
  await deliveries.getByRole("link", { name: event }).click();
  await page.waitForURL(/\/webhook-deliveries\/whd_/);
  await page.getByText("Succeeded").first().waitFor();
  await page.getByRole("button", { name: "Resend" }).click();
  await page.getByText("Delivery queued.").waitFor();
}

/** Starts the merchant's server, which records the webhooks. */
async function startReceiver() {
  const received: string[] = [];
  let waiting: (() => void) | null = null;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    received.push((JSON.parse(body) as { type: string }).type);
    response.end();
    waiting?.();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async waitForWebhook(type: string, times = 1): Promise<void> {
      while (received.filter((receivedType) => receivedType === type).length < times) {
        await new Promise<void>((resolve) => {
          waiting = resolve;
        });
      }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
