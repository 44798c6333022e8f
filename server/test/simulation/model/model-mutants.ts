import type { Mutation } from "../mutants.ts";

/**
 * Mutations of the behaviour that the model covers. Each text must occur exactly once in its file, below `server/src/`.
 */
export const modelMutants: readonly Mutation[] = [
  {
    name: "refunds may exceed the captured amount",
    file: "payments/operations/refund-assertions.ts",
    find: "  if (wanted > left) {",
    replace: "  if (wanted > left + 1) {",
  },
  {
    name: "a failed refund does not restore the charge's refundable amount",
    file: "payments/operations/refund.ts",
    find: "charge: failed ? lend(charge as SucceededCharge, -after.price.amountMinor) : charge,",
    replace: "charge,",
  },
  {
    name: "a capture emits no event",
    file: "payments/operations/hold.ts",
    find: '        announce("payment.captured", paid, before, world),\n',
    replace: "",
  },
  {
    name: "a partial capture captures the full amount",
    file: "payments/operations/hold.ts",
    find: "return { amountMinor: wanted, charge: null };",
    replace: "return { amountMinor: held.price.amountMinor, charge: null };",
  },
  {
    name: "a decision is valid for any amount",
    file: "risk/use-decision.ts",
    find: "if (differs.length === 0) return;",
    replace: "if (differs.length <= 1) return;",
  },
  {
    name: "a won dispute leaves its charge disputed",
    file: "payments/disputes/transition-dispute.ts",
    find: "charge: take(charge, -dispute.price.amountMinor),",
    replace: "charge,",
  },
  {
    name: "a payout may exceed the available balance",
    file: "payments/payouts/create-payout.ts",
    find: "if (available < price.amountMinor) throw",
    replace: "if (available + 50 < price.amountMinor) throw",
  },
  {
    name: "an operation with a lost response counts as succeeded",
    file: "payments/operations/operation.ts",
    find: 'return wait(operation, "outcome_unknown");',
    replace: 'return status === "processing" ? { ...facts, status: "succeeded" } : null;',
  },
];
