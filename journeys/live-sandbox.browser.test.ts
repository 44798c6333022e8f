import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { sendRequest, sendWithKey } from "@florin/example-live-sandbox/http-client.ts";
import { Secret, TOTP } from "otpauth";
import type { BrowserContext, Page } from "playwright-core";
import { journey } from "./journey.ts";

/* Tests live mode in a browser, with the command that starts Florin and a fake of Adyen. */

const command = join(import.meta.dirname, "../examples/live-sandbox/live-sandbox.ts");
const sandbox = spawn(process.execPath, [command], { stdio: ["ignore", "pipe", "inherit"] });
after(() => sandbox.kill());

/** Returns the text that the command prints when live mode is ready. */
async function readInstructions(): Promise<string> {
  let printed = "";
  for await (const chunk of sandbox.stdout.iterator({ destroyOnReturn: false })) {
    printed += String(chunk);
    if (printed.includes("Press Ctrl-C")) return printed;
  }
  throw new Error(`The live sandbox ended before it was ready: ${printed}`);
}

const instructions = await readInstructions();

function printed(pattern: RegExp): string {
  const [, found] = pattern.exec(instructions) ?? [];
  assert(found, `${pattern} is not in:\n${instructions}`);
  return found;
}

const key = printed(/Live secret key {2}(\S+)/);
const url = printed(/(http:\S+)\/embed\//);
const fakeUrl = printed(/Fake of Adyen {4}(http:\/\/[^/]+)/);
const card = "4111111111111111";
/** Adyen's test card whose issuer requires 3-D Secure. */
const challengedCard = "4917610000000000";

type Charge = {
  readonly id: string;
  readonly status: string;
  readonly livemode: boolean;
  readonly amount_refunded: number;
  readonly checkout_session_id: string;
};

function merchant<Body>(method: string, path: string, body?: object): Promise<Body> {
  return sendWithKey<Body>(url, key, method, `/api/v1${path}`, body);
}

async function control<Body>(method: string, path: string, body?: object): Promise<Body> {
  const response = await sendRequest(`${fakeUrl}/control/${path}`, { method, body });
  return (await response.json()) as Body;
}

async function until<Value>(
  read: () => Promise<Value>,
  isReached: (value: Value) => boolean,
): Promise<Value> {
  for (;;) {
    const value = await read();
    if (isReached(value)) return value;
    await sleep(100);
  }
}

type OpenForm = { readonly page: Page; readonly session: string };

/** Opens the card form of a new session. */
async function openForm(customer: BrowserContext): Promise<OpenForm> {
  type Created = { readonly session: { readonly id: string }; readonly embed_url: string };
  const { session, embed_url } = await merchant<Created>("POST", "/checkout_sessions", {
    amount: 1999,
    currency: "eur",
  });
  const page = await customer.newPage();
  await page.goto(embed_url);
  await page.getByText("Sandbox").first().waitFor();
  return { page, session: session.id };
}

/** Opens the card form of a new session and pays. */
async function pay(customer: BrowserContext, number: string): Promise<OpenForm> {
  const form = await openForm(customer);
  await submitCard(form.page, number);
  return form;
}

async function submitCard(page: Page, number: string): Promise<void> {
  await page.locator("#number").fill(number);
  await page.locator("#expiry").fill("03/30");
  await page.locator("#cvc").fill("737");
  await page.locator("#name").fill("Ada Lovelace");
  await page.locator(".pay").click();
}

async function chargeOf(session: string): Promise<Charge> {
  const { data } = await merchant<{ data: Charge[] }>("GET", "/charges");
  const charge = data.find(({ checkout_session_id }) => checkout_session_id === session);
  assert(charge, `${session} has no charge`);
  return charge;
}

/** Returns the page of the acquirer in the challenge document. */
function acquirerPage(page: Page) {
  return page.frameLocator("#bank iframe");
}

async function signIn(customer: BrowserContext): Promise<Page> {
  const [, email = "", password = "", secret = ""] =
    /^ {2}(\S+@\S+), password (\S+), secret (\S+)$/m.exec(instructions) ?? [];
  const page = await customer.newPage();
  await page.goto(`${url}/dashboard/sign-in`);
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  const app = new TOTP({ secret: Secret.fromBase32(secret) });
  // The setup of the app used the current code, and each code is valid only once. The next code is already accepted.
  const code = app.generate({ timestamp: Date.now() + app.period * 1_000 });
  await page.getByLabel("Authenticator app code").fill(code);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/dashboard\/acct_\w+\/test/);
  return page;
}

journey(
  "a live payment is authenticated on the acquirer's page, paid, refunded, disputed, settled and reconciled",
  async (customer) => {
    const { page, session } = await pay(customer, challengedCard);
    await acquirerPage(page).getByRole("button", { name: "Authenticate" }).click();
    await page.getByText("Payment complete").waitFor();
    const charge = await chargeOf(session);
    assert.deepEqual([charge.status, charge.livemode], ["succeeded", true]);

    const dashboard = await signIn(customer);
    await dashboard.goto(dashboard.url().replace(/\/test.*/, `/live/payments/${charge.id}`));
    await dashboard
      .getByRole("button", { name: /^Refund/ })
      .first()
      .click();
    await dashboard.getByLabel("Amount").fill("5.00");
    await dashboard
      .getByRole("dialog")
      .getByRole("button", { name: /^Refund/ })
      .click();
    type Refund = { readonly amount: number; readonly status: string };
    const refunds = await until(
      () => merchant<{ data: Refund[] }>("GET", `/refunds?charge_id=${charge.id}`),
      ({ data }) => data[0]?.status === "succeeded",
    );
    assert.deepEqual(
      [refunds.data[0]?.amount, (await chargeOf(session)).amount_refunded],
      [500, 500],
    );

    const { payments } = await control<{ payments: { pspReference: string }[] }>(
      "GET",
      `payments?reference=${charge.id}`,
    );
    await control("POST", "disputes", {
      payment: payments[0]?.pspReference,
      reasonCode: "10.4",
      value: 1499,
    });
    type Dispute = { readonly charge_id: string; readonly amount: number };
    const disputes = await until(
      () => merchant<{ data: Dispute[] }>("GET", "/disputes"),
      ({ data }) => data.length > 0,
    );
    assert.equal(disputes.data[0]?.charge_id, charge.id);
    await dashboard.reload();
    await dashboard.getByText("Disputed").first().waitFor();

    await waitAwayFromMidnight();
    await control("POST", "settlements", {});
    const day = new Date().toISOString().slice(0, 10);
    type Reconciliation = { readonly settled: readonly { readonly lines: number }[] };
    await until(
      () => merchant<Reconciliation>("POST", "/reconciliations", { day }),
      ({ settled }) => settled[0]?.lines === 3,
    );
    await dashboard.goto(dashboard.url().replace(/\/live.*/, "/live/reconciliations"));
    await dashboard.getByRole("button", { name: "Reconcile day" }).first().click();
    await dashboard.getByRole("dialog").getByRole("button", { name: "Reconcile" }).click();
    await dashboard.getByText(/^\w{3} \d+, \d{4} is balanced\.$/).waitFor();
    await dashboard.getByRole("table").getByText("Balanced").waitFor();

    for (const [path, text] of [
      ["payouts", "which the acquirer makes on its own schedule"],
      ["balance", "they become available when the acquirer settles them"],
    ] as const) {
      await dashboard.goto(dashboard.url().replace(/\/live.*/, `/live/${path}`));
      await dashboard.getByText(text).waitFor();
      // If the page offered a payout schedule, the schedule would appear after the page has read the account.
      await dashboard.waitForLoadState("networkidle");
      assert.equal(await dashboard.getByRole("button", { name: "Pay out" }).count(), 0);
      assert.equal(await dashboard.getByLabel("Pay out daily").count(), 0);
    }
  },
);

/**
 * Waits until it is at least two minutes before or after the end of the UTC day. Otherwise, the report and the
 * reconciliation could be for different days.
 */
async function waitAwayFromMidnight(): Promise<void> {
  const margin = 2 * 60_000;
  const dayMs = 24 * 60 * 60_000;
  const fromMidnight = ((Date.now() + margin) % dayMs) - margin;
  if (fromMidnight < margin) await sleep(margin - fromMidnight);
}

journey("a failed authentication charges nothing, and another card pays", async (customer) => {
  const { page, session } = await pay(customer, challengedCard);
  await acquirerPage(page).getByRole("button", { name: "Fail" }).click();
  await page.getByText("Your bank could not verify your identity.").first().waitFor();
  await submitCard(page, card);
  await page.getByText("Payment complete").waitFor();
  const { data } = await merchant<{ data: Charge[] }>("GET", "/charges");
  const charges = data.filter(({ checkout_session_id }) => checkout_session_id === session);
  assert.deepEqual(charges.map(({ status }) => status).sort(), ["failed", "succeeded"]);
});

journey("the test wallet pays over the sandbox, without the acquirer's page", async (customer) => {
  const { page, session } = await openForm(customer);
  await page.getByRole("button", { name: "Test wallet" }).click();
  const sheet = page.getByRole("dialog", { name: "Test wallet" });
  await sheet.getByText("Sandbox", { exact: true }).waitFor();
  await sheet.getByRole("radio", { name: /Authenticated on the device/ }).check();
  await sheet.getByRole("button", { name: /^Pay / }).click();
  await page.getByText("Payment complete").waitFor();
  const charge = await chargeOf(session);
  assert.deepEqual([charge.status, charge.livemode], ["succeeded", true]);
});

journey("a signal ends the command with exit code 0", async () => {
  const ended = once(sandbox, "exit");
  sandbox.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
});
