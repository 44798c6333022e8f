import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { query } from "./database.ts";
import { journey } from "./journey.ts";
import { becomeOperator } from "./operator.ts";
import { florin } from "./running-florin.ts";

type Charge = { id: string; status: string; pending_reason: string | null };

journey(
  "restarted inquiries find the outcome of a payment that was unknown for three days",
  async (browser) => {
    // For this amount, the acquirer approves the charge and its response is lost.
    const { id } = await florin.api<Charge>("POST", "/charges", {
      amount: 9_004_001,
      currency: "usd",
      payment_method_id: "pm_card_visa",
    });
    // Simulate that the last inquiry has failed. The first inquiry is not due yet.
    await query(
      `update charges set pending_reason = 'manual_review', inquiries = 87, due_at = null
      where pending_reason = 'outcome_unknown' and amount = 9004001`,
    );
    const read = () => florin.api<Charge>("GET", `/charges/${id}`);
    assert.equal((await read()).pending_reason, "manual_review");

    const admin = await becomeOperator(browser);
    await admin.goto(`${florin.dashboardUrl}/operator/health`);
    await admin.getByRole("button", { name: "Restart inquiries" }).click();
    // The list is empty when all outcomes are known.
    await admin.getByText("No unknown outcomes").waitFor();
    for (let tries = 0; (await read()).status !== "succeeded"; tries++) {
      assert(tries < 100, "no inquiry found the outcome");
      await sleep(100);
    }
  },
);
