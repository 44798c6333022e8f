import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { journey } from "./journey.ts";
import { createAccount } from "./person.ts";
import { waitUntilLoaded } from "./visit-dashboard-pages.ts";

/*
 * The most frequent tasks of a merchant, from the overview to their result. Each task has a maximum number of clicks.
 * The clicks are counted in the browser, so that a task cannot become longer unnoticed.
 */
journey(
  "the most frequent tasks need few clicks from the overview",
  async (browser, _traffic, t) => {
    await using receiver = await startFailingReceiver();
    const { page } = await createAccount(browser);
    const home = page.url().replace(/\/test.*/, "/test");
    const task = await taskCounter(page, home, t);
    const dialog = page.getByRole("dialog");

    await task("first paid order", 4, async () => {
      await page.getByRole("link", { name: "Accept your first payment" }).click();
      await page.getByRole("button", { name: "Create test payment" }).click();
      await page.getByRole("link", { name: "View payment" }).click();
      await page.getByText("Payment succeeded").waitFor();
    });

    const api = apiOf(page, home);
    const customer = await api("POST", "/customers", { email: "grace@navy.example" });
    const visa = { amount: 4_800, currency: "usd", payment_method_id: "pm_card_visa" };
    const card = { ...visa, payment_method_id: "pm_card_mastercard" };
    const byCard = await api("POST", "/charges", card);
    const byEmail = await api("POST", "/charges", { ...visa, customer_id: customer.id });

    await task("find a payment by its last four digits", 1, async () => {
      await search(page, "4444");
      await dialog.getByRole("option", { name: "$48.00 · •••• 4444" }).click();
      await page.waitForURL(`${home}/payments/${byCard.id}`);
    });

    await task("find a payment by email address", 1, async () => {
      await search(page, "grace@navy.example");
      await dialog.getByRole("option", { name: "$48.00 · •••• 4242" }).click();
      await page.waitForURL(`${home}/payments/${byEmail.id}`);
    });

    await task("refund half of a payment", 4, async () => {
      await search(page, "grace@navy.example");
      await dialog.getByRole("option", { name: "$48.00" }).click();
      await page.getByRole("button", { name: "Refund" }).click();
      await dialog.getByLabel("Amount in USD").fill("24");
      await dialog.getByRole("button", { name: "Refund $24.00" }).click();
      await page.getByText("$24.00 refunded.").waitFor();
    });

    const endpoint = await api("POST", "/webhook_endpoints", { url: `${receiver.url}/hook` });
    await api("POST", "/charges", visa);
    await receiver.received;
    // Waits for the retry, which starts after five seconds. The delivery cannot be resent while its retry is about to
    // start.
    const read = () => api<Endpoint>("GET", `/webhook_endpoints/${endpoint.id}`);
    const until = Date.now() + 60_000;
    while ((await read()).failures < 2) {
      assert.ok(Date.now() < until, "The retry of the delivery has not failed after a minute.");
      await sleep(200);
    }

    await task("find why a webhook failed", 2, async () => {
      await page.getByRole("link", { name: "1 webhook endpoint is failing" }).click();
      await page.getByText("relation orders does not exist").first().waitFor();
    });

    await task("resend a webhook", 3, async () => {
      await page.getByRole("link", { name: "1 webhook endpoint is failing" }).click();
      await page.getByRole("table", { name: "Deliveries" }).getByRole("link").first().click();
      await page.getByRole("button", { name: "Resend" }).click();
      await page.getByText("Delivery queued.").waitFor();
    });

    const about = { charge_id: byCard.id, reason: "product_not_received" };
    await api("POST", "/test_helpers/disputes", about);

    await task("answer a dispute with a file, after a review", 6, async (addClicks) => {
      await page.getByRole("link", { name: "$48.00 dispute needs a response" }).click();
      const chooser = page.waitForEvent("filechooser");
      await page.getByLabel("Add files").click();
      // Adds the click that selects the file in the dialog of the operating system, which the page does not register.
      addClicks(1);
      await (await chooser).setFiles(proofOfDelivery);
      await page.getByRole("button", { name: "Delete delivery.png" }).waitFor();
      await page.getByRole("button", { name: "Review evidence" }).click();
      const sent = page.getByRole("region", { name: "Files" });
      await sent.getByText("delivery.png").waitFor();
      await page.getByRole("checkbox", { name: "complete and correct" }).check();
      await page.getByRole("button", { name: "Submit evidence" }).click();
      await page.getByText("Evidence submitted to the card network.").waitFor();
    });

    await task("create a restricted key", 4, async (addClicks) => {
      await search(page, "create key");
      await dialog.getByRole("option", { name: "Create API key" }).click();
      await dialog.getByLabel("Name").fill("Reports");
      // Adds the clicks that open a select field's list and choose an option, which the page does not register.
      addClicks(2);
      await dialog.getByLabel("Access").selectOption("Reporting");
      await dialog.getByRole("button", { name: "Create key" }).click();
      await page
        .getByText(/rk_test_/)
        .first()
        .waitFor();
    });
  },
  180_000,
);

/** A PNG of one pixel. */
const proofOfDelivery = {
  name: "delivery.png",
  mimeType: "image/png",
  buffer: Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
    "base64",
  ),
};

/** Opens the search with the keyboard and types the text. */
async function search(page: Page, text: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("combobox").fill(text);
}

type Task = (
  name: string,
  maxClicks: number,
  run: (addClicks: (count: number) => void) => Promise<void>,
) => Promise<void>;

/** Returns a function that performs a task from the overview, and fails if it needs more clicks than allowed. */
async function taskCounter(page: Page, home: string, t: TestContext): Promise<Task> {
  let clicks = 0;
  await page.exposeFunction("countClick", () => {
    clicks += 1;
  });
  await page.addInitScript(() => {
    const count = ({ isTrusted, detail }: MouseEvent) => {
      // The `detail` of a click is 0 if the click was caused by the keyboard.
      if (isTrusted && detail > 0) (window as unknown as { countClick(): void }).countClick();
    };
    addEventListener("click", count, { capture: true });
  });
  return async (name, maxClicks, run) => {
    await page.goto(home);
    await waitUntilLoaded(page);
    clicks = 0;
    const startedAt = performance.now();
    await run((count) => {
      clicks += count;
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    t.diagnostic(`${name}: ${clicks} clicks (at most ${maxClicks}), ${seconds.toFixed(1)} s`);
    assert.ok(clicks > 0, `${name}: no click was counted`);
    assert.ok(clicks <= maxClicks, `${name}: ${clicks} clicks, at most ${maxClicks} are allowed`);
  };
}

type Created = { readonly id: string };
type Endpoint = Created & { readonly failures: number };

/** Returns a function that creates and reads objects in the signed-in person's account through the API. */
function apiOf(page: Page, home: string) {
  const [, account = ""] = /(acct_\w+)/.exec(home) ?? [];
  return async <Result = Created>(
    method: "GET" | "POST",
    path: string,
    body?: object,
  ): Promise<Result> => {
    const origin = new URL(home).origin;
    const response = await page.request.fetch(`${origin}/api/v1${path}`, {
      method,
      data: body,
      headers: { origin, "florin-account": account, "florin-mode": "test" },
    });
    assert.ok(response.ok(), await response.text());
    return response.json();
  };
}

/** Starts a merchant's server that responds to each webhook with an error. */
async function startFailingReceiver() {
  const server = createServer((_request, response) => {
    response.statusCode = 500;
    response.end("relation orders does not exist");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: once(server, "request"),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
