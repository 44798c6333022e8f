import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { BrowserContext, Page } from "playwright-core";
import { query } from "./database.ts";
import { journey } from "./journey.ts";
import { becomeOperator } from "./operator.ts";
import { florin } from "./running-florin.ts";

type Charge = {
  readonly id: string;
  readonly status: string;
  readonly pending_reason: string | null;
  readonly failure_code: string | null;
};

/**
 * `approved`: the acquirer approves the charge, and its response is lost. `neverReceived`: the acquirer never receives
 * the request.
 */
const amounts = { approved: 9_004_001, neverReceived: 9_004_002 };

const read = (id: string) => florin.api<Charge>("GET", `/charges/${id}`);

/** Creates a charge whose outcome is unknown, and moves it to the state after the last inquiry without a response. */
async function createUnknownCharge(amount: number): Promise<string> {
  const params = { amount, currency: "usd", payment_method_id: "pm_card_visa" };
  const { id } = await florin.api<Charge>("POST", "/charges", params);
  await query(
    `update charges set pending_reason = 'manual_review', inquiries = 87, due_at = null
      where pending_reason = 'outcome_unknown' and amount = ${amount}`,
  );
  assert.equal((await read(id)).pending_reason, "manual_review");
  return id;
}

async function openHealth(browser: BrowserContext): Promise<Page> {
  const admin = await becomeOperator(browser);
  await admin.goto(`${florin.dashboardUrl}/operator/health`);
  return admin;
}

journey(
  "restarted inquiries find the outcome of a payment that was unknown for three days",
  async (browser) => {
    const id = await createUnknownCharge(amounts.approved);
    const admin = await openHealth(browser);
    await admin.getByRole("button", { name: "Restart inquiries" }).click();
    // The list is empty when no charge has an unknown outcome any more.
    await admin.getByText("No unknown outcomes").waitFor();
    for (let tries = 0; (await read(id)).status !== "succeeded"; tries++) {
      assert(tries < 100, "no inquiry found the outcome");
      await sleep(100);
    }
  },
);

journey("a payment that never reached the acquirer can be marked as failed", async (browser) => {
  const id = await createUnknownCharge(amounts.neverReceived);
  const admin = await openHealth(browser);
  await admin.getByRole("button", { name: `Mark ${id} as failed` }).click();
  const dialog = admin.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("The acquirer has no payment with this reference.");
  await dialog.getByRole("button", { name: "Mark as failed" }).click();
  await admin.getByText("Payment marked as failed.").waitFor();
  await admin.getByText("No unknown outcomes").waitFor();
  const { status, failure_code } = await read(id);
  assert.deepEqual([status, failure_code], ["failed", "processing_error"]);
});
