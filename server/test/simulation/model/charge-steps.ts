import assert from "node:assert/strict";
import fc from "fast-check";
import { createCardholder, rightCode, submitToIssuer } from "../../cardholder.ts";
import { authorizationFaults, noFault } from "./acquirer-faults.ts";
import { expectRejection } from "./merchant.ts";
import { approve, cards, fail, type ModelCharge } from "./model.ts";
import { canInjectFault, type Payment, recordResponse } from "./payments.ts";
import { anyAmount, anyOne, pick, type Step } from "./step.ts";

const fault = fc.oneof(
  { weight: 2, arbitrary: fc.constant(noFault) },
  { weight: 1, arbitrary: fc.constantFrom(...authorizationFaults) },
);

/** Creates a charge. */
export const pay: fc.Arbitrary<Step> = fc
  .record({ card: fc.constantFrom(...cards), amount: anyAmount, manual: fc.boolean(), fault })
  .map((wanted) => {
    const payment: Payment = canInjectFault(wanted as Payment)
      ? wanted
      : { ...wanted, fault: noFault };
    const { card, amount, manual } = payment;
    const faults = JSON.stringify(payment.fault.faults);
    return {
      description: `pay ${amount} with ${card.method}${manual ? ", held" : ""} ${faults}`,
      async run(model, merchant) {
        await merchant.withFault(payment.fault, "authorize", async (fault) => {
          const reply = await merchant.post("/charges", {
            amount,
            currency: "usd",
            payment_method_id: card.method,
            ...(manual && { capture_method: "manual" }),
          });
          recordResponse(model, merchant, reply, { ...payment, fault });
        });
      },
    };
  });

function challenged(charges: readonly ModelCharge[]): ModelCharge[] {
  return charges.filter(({ status, challengeUrl }) => status === "requires_action" && challengeUrl);
}

/** The cardholder opens the issuer's page and authenticates, or cancels. */
export const authenticate: fc.Arbitrary<Step> = fc
  .record({ which: anyOne, authenticates: fc.boolean() })
  .map(({ which, authenticates }) => ({
    description: authenticates ? "the cardholder is authenticated" : "the cardholder cancels",
    // server/test/simulation/three-d-secure-crash.api.test.ts tests crashes during a challenge.
    can: ({ charges }, hasInterruptions) => !hasInterruptions && challenged(charges).length > 0,
    async run(model, merchant) {
      const charge = pick(challenged(model.charges), which);
      const cardholder = createCardholder(merchant, charge.challengeUrl as string);
      const step = await cardholder.runUntilAres();
      // If the issuer does not participate in 3-D Secure, the card is charged without a challenge.
      if (step === "challenge") {
        const page = await cardholder.openIssuerPage();
        await submitToIssuer(merchant, page, authenticates ? rightCode : "cancel");
      }
      const passed = charge.manual || charge.review ? "authorized" : "succeeded";
      const passes = { [passed]: () => approve(model, charge) };
      const fails = { failed: () => fail(model, charge, null) };
      if (step !== "challenge") charge.outcomes = { ...passes, ...fails };
      else charge.outcomes = authenticates ? passes : fails;
      await merchant.awaitOutcome(charge, model);
    },
  }));

/** The service rejects the ID of a charge and of a payment method that do not exist. */
export const requestUnknownObject: fc.Arbitrary<Step> = fc.constant({
  description: "request unknown objects",
  async run(_model, merchant) {
    const nothing = "ch_00000000000000000000000000";
    const missing = await merchant.post(`/charges/${nothing}/capture`);
    assert.deepEqual([missing.status, missing.body.error.code], [404, "resource_missing"]);
    const body = { amount: 500, currency: "usd", payment_method_id: "pm_card_unheard_of" };
    expectRejection(await merchant.post("/charges", body), "resource_missing");
  },
});
