import { AsyncLocalStorage } from "node:async_hooks";
import { parseId } from "../../../src/core/ids.ts";
import type { Mutation } from "../mutation.ts";

/** Set while a payout is created. One of the mutants then changes the balance that is read. */
const payingOut = new AsyncLocalStorage<true>();

/** Mutations of the behavior that the model covers. */
export const modelMutants: readonly Mutation[] = [
  {
    name: "refunds may exceed the captured amount",
    replace: {
      "payments/operations/refund-assertions.ts": {
        chargeOf: (original) => (charge, amountMinor) => {
          if (charge.status !== "succeeded" || amountMinor === null) {
            return original(charge, amountMinor);
          }
          const more = { ...charge, capturedMinor: charge.capturedMinor + 1 };
          return { ...original(more, amountMinor), paid: charge };
        },
      },
    },
  },
  {
    name: "a failed refund does not restore the charge's refundable amount",
    replace: {
      "payments/operations/refund.ts": {
        refundRules: (original) => ({
          ...original,
          applyOutcome: (before, after, context) => {
            const effect = original.applyOutcome(before, after, context);
            return after.status === "failed" ? { ...effect, charge: context.charge } : effect;
          },
        }),
      },
    },
  },
  {
    name: "a capture emits no event",
    replace: {
      "payments/operations/hold.ts": {
        captureRules: (original) => ({
          ...original,
          applyOutcome: (before, after, context) => {
            const effect = original.applyOutcome(before, after, context);
            const events = effect.events.filter(({ type }) => type !== "payment.captured");
            return { ...effect, events };
          },
        }),
      },
    },
  },
  {
    name: "a partial capture captures the full amount",
    replace: {
      "payments/operations/hold.ts": {
        captureRules: (original) => ({
          ...original,
          prepare: (charge, amountMinor, now) => ({
            ...original.prepare(charge, amountMinor, now),
            amountMinor: charge.price.amountMinor,
          }),
        }),
      },
    },
  },
  {
    name: "a decision is valid for any amount",
    replace: {
      "risk/validate-decision.ts": {
        validateDecision: (original) => async (deps, scope, text, charge) => {
          const { readDecision } = await import("../../../src/risk/decision.sql.ts");
          const id = parseId("dec", text);
          const decision = id && (await readDecision(deps.database.read, scope, id));
          const amountMinor = decision?.price.amountMinor ?? charge.price.amountMinor;
          return original(deps, scope, text, {
            ...charge,
            price: { ...charge.price, amountMinor },
          });
        },
      },
    },
  },
  {
    name: "a won dispute leaves its charge disputed",
    replace: {
      "payments/disputes/transition-dispute.ts": {
        decideDispute: (original) => (dispute, outcome, context) => {
          const move = original(dispute, outcome, context);
          return outcome === "won" ? { ...move, charge: context.charge } : move;
        },
      },
    },
  },
  {
    name: "a payout may exceed the available balance",
    replace: {
      "payments/payouts/create-payout.ts": {
        createPayout:
          (original) =>
          (...requested) =>
            payingOut.run(true, () => original(...requested)),
      },
      "payments/balance/balance.sql.ts": {
        readBalance:
          (original) =>
          async (...requested) => {
            const amounts = await original(...requested);
            if (!payingOut.getStore()) return amounts;
            return amounts.map((amount) => ({
              ...amount,
              availableMinor: amount.availableMinor + 50,
            }));
          },
      },
    },
  },
  {
    name: "an operation with a lost response counts as succeeded",
    replace: {
      "payments/operations/operation.ts": {
        applyOperationResponse: (original) => (operation, response, failureEntry) =>
          original(
            operation,
            response.kind === "unknown" ? { kind: "done", acquirerReference: null } : response,
            failureEntry,
          ),
      },
    },
  },
];
