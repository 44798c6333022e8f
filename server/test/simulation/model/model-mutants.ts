import type { Mutation } from "../mutants.ts";

/**
 * Mutations of the behaviour that the model covers. Each text must occur exactly once in its file, below `server/src/`.
 */
export const modelMutants: readonly Mutation[] = [
  {
    name: "refunds may exceed what was captured",
    file: "payments/operations/refund-assertions.ts",
    find: "  if (wanted > left) {",
    replace: "  if (wanted > left + 1) {",
  },
  {
    name: "a refund that failed is never returned to its charge",
    file: "payments/operations/refund.ts",
    find: "charge: failed ? lend(charge as SucceededCharge, -after.price.amountMinor) : charge,",
    replace: "charge,",
  },
  {
    name: "a capture is not announced",
    file: "payments/operations/hold.ts",
    find: '        announce("payment.captured", paid, before, world),\n',
    replace: "",
  },
  {
    name: "a part is asked for, and the whole is captured",
    file: "payments/operations/hold.ts",
    find: "return { amountMinor: wanted, charge: null };",
    replace: "return { amountMinor: held.price.amountMinor, charge: null };",
  },
  {
    name: "a decision counts for any amount",
    file: "risk/use-decision.ts",
    find: "if (differs.length === 0) return;",
    replace: "if (differs.length <= 1) return;",
  },
  {
    name: "a dispute that is won leaves its charge disputed",
    file: "payments/disputes/transition-dispute.ts",
    find: "charge: take(charge, -dispute.price.amountMinor),",
    replace: "charge,",
  },
  {
    name: "more is paid out than is available",
    file: "payments/payouts/create-payout.ts",
    find: "if (available < price.amountMinor) throw",
    replace: "if (available + 50 < price.amountMinor) throw",
  },
  {
    name: "an operation whose answer was lost is taken for done",
    file: "payments/operations/operation.ts",
    find: 'return wait(operation, "outcome_unknown");',
    replace: 'return status === "processing" ? { ...facts, status: "succeeded" } : null;',
  },
];
