import assert from "node:assert/strict";
import { test } from "node:test";
import { noDetails } from "../../acquiring/outcome.ts";
import { newId, type PaymentMethodId } from "../../core/ids.ts";
import { createClientSecrets } from "../sessions/client-secret.ts";
import { chargeAfterResponse } from "./apply-response.ts";
import { processingCharge } from "./charge.fixture.ts";
import { chargeTransition } from "./charge-transition.ts";

const now = new Date("2026-05-15T12:00:00Z");
const scope = { account: newId("acct", now), livemode: false };
const clientSecrets = createClientSecrets({ test: Buffer.alloc(32), live: Buffer.alloc(32) });
const deps = { links: { baseUrl: () => "https://pay.example", clientSecrets }, random: () => 0.5 };

/** Returns the transition of an approved charge. */
function approve(paymentMethodId: PaymentMethodId) {
  const charge = processingCharge(scope, now, { paymentMethodId });
  const approved = { kind: "approved", approvedMinor: 1999, details: noDetails } as const;
  return chargeTransition(deps, chargeAfterResponse(charge, approved, now), {
    session: null,
    pricing: { basisPoints: 290, fixedMinor: 30 },
    now,
  });
}

test("an approved charge updates its stored card, but not a fixed test name, which has no row", () => {
  const stored = newId("pm", now);
  assert.equal(approve(stored).card?.paymentMethodId, stored);
  assert.equal(approve("pm_card_visa").card, null);
});
