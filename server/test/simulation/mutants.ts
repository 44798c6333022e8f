import type { CheckName } from "../../src/insights/verify/checks.ts";

/** A change of one text in the service's sources. */
export type Mutation = {
  readonly name: string;
  /** The changed file, below `server/src/`. */
  readonly file: string;
  /** The text to replace, which must occur exactly once in the file. */
  readonly find: string;
  readonly replace: string;
};

/** A mutation of the payment protocol, and the check that must detect it. */
export type Mutant = Mutation & {
  /** The failure scenario that reveals it (failure-scenario.ts). */
  readonly misfortune: string;
  /** The checks of which at least one must fail. */
  readonly caughtBy: readonly CheckName[];
};

export const mutants: readonly Mutant[] = [
  {
    name: "an inquiry that finds nothing fails the charge at once, without a reversal",
    file: "payments/charges/call-acquirer.ts",
    find: "  return reverse(processor, charge, neverHappened);",
    replace: "  return neverHappened;",
    misfortune: "requests arrive after the inquiry",
    caughtBy: ["approvals_have_payments"],
  },
  {
    name: "an unknown outcome is retried with a new reference",
    file: "payments/charges/call-acquirer.ts",
    find: "  return rejectPartialApproval(processor, charge, response);\n",
    replace: `  if (response.kind === "unknown") {
    const { newId } = await import("../../core/ids.ts");
    const reference = newId("ch", new Date());
    return processor.authorize({
      account: charge.owner.account,
      reference,
      price: charge.price,
      card,
      capture: true,
      authentication: null,
    });
  }
  return rejectPartialApproval(processor, charge, response);
`,
    misfortune: "responses are lost",
    caughtBy: ["approvals_have_payments"],
  },
  {
    name: "an internal error is stored as the response of the key",
    file: "payments/charges/create-charge.ts",
    find: "    async () => (await createCharge(deps, command))?.response ?? null,\n",
    replace: `    async () => {
      const recorded = await createCharge(deps, command).catch(async (error) => {
        const { storeResponse } = await import("../../platform/idempotency/idempotency.sql.ts");
        const key = { owner: command.owner, key: command.idempotency?.key ?? "" };
        await deps.database.transaction((tx) => storeResponse(tx, key, { status: 500, body: "{}" }));
        throw error;
      });
      return recorded?.response ?? null;
    },
`,
    misfortune: "writing an outcome fails for a while",
    caughtBy: ["no_error_is_stored"],
  },
  {
    name: "a timeout counts as a decline",
    file: "payments/charges/apply-response.ts",
    find: 'status: "processing", pendingReason: "outcome_unknown" };',
    replace: 'status: "failed", finalizedAt: now, failure: processingError };',
    misfortune: "responses are lost",
    caughtBy: ["approvals_have_payments"],
  },
  {
    name: "an unconfirmed reversal counts as confirmed",
    file: "payments/charges/call-acquirer.ts",
    find: "      return reversal;\n",
    replace: "      return afterReversal;\n",
    misfortune: "partial approvals whose reversal is lost",
    caughtBy: ["approvals_have_payments"],
  },
  {
    name: "an outcome overwrites another, without compare-and-set",
    file: "payments/commit/commit-transitions.sql.ts",
    find: `         and t.version = i.version - 1\n         \${condition}\n`,
    replace: "",
    misfortune: "notifications arrive before responses",
    caughtBy: ["charges_are_announced_once"],
  },
  {
    name: "events are written from the input instead of the recorded rows",
    file: "payments/commit/commit-transitions.sql.ts",
    find: `        from changed x\n       cross join lateral (values \${constant(rows`,
    replace: `        from \${rowsOf({ account_id: uuids(batch, ({ owner }) => owner.account), livemode: booleans(batch, ({ owner }) => owner.livemode), ...columns })} as x\n       cross join lateral (values \${constant(rows`,
    misfortune: "notifications arrive before responses",
    caughtBy: ["charges_are_announced_once"],
  },
  {
    name: "a decline emits no event",
    file: "payments/charges/charge-transition.ts",
    find: '      return "payment_failed";',
    replace: "      return null;",
    misfortune: "no faults",
    caughtBy: ["charges_are_announced_once"],
  },
  {
    name: "events create no deliveries for subscribed endpoints",
    file: "webhooks/events/outbox.sql.ts",
    find: "fragment`w.status = 'enabled' and",
    replace: "fragment`w.status = 'disabled' and",
    misfortune: "no faults",
    caughtBy: ["events_are_queued"],
  },
  {
    name: "the acquirer is called before the intent is recorded",
    file: "payments/charges/create-charge.ts",
    find: "  if (!(await open(deps, charge, command.idempotency))) return null;",
    replace:
      "  await authorize(command.processor, charge, command.paymentMethod);\n  if (!(await open(deps, charge, command.idempotency))) return null;",
    misfortune: "every request is sent twice",
    caughtBy: ["approvals_have_payments"],
  },
  {
    name: "a used idempotency key does not prevent a second charge",
    file: "payments/commit/intents.sql.ts",
    find: "     where (idempotency_key is null or id in (select charge_id from claimed))\n",
    replace: "     where true\n",
    misfortune: "every request is sent twice",
    caughtBy: ["one_key_one_charge"],
  },
  {
    name: "the response is not stored with the outcome",
    file: "payments/commit/commit-transitions.sql.ts",
    find: "and k.status_code is null and x.response_status is not null\n",
    replace: "and k.status_code is null and false\n",
    misfortune: "no faults",
    caughtBy: ["keys_have_responses"],
  },
  {
    name: "the fee is not posted to the account that it is deducted from",
    file: "payments/ledger/recipes.ts",
    find: '  fee: { debit: "merchant_balance", credit: "fee_income" },',
    replace: '  fee: { debit: "acquirer_receivable", credit: "fee_income" },',
    misfortune: "no faults",
    caughtBy: ["transfers_match_their_kind"],
  },
  {
    name: "the ledger records twice the captured amount",
    file: "payments/charges/charge-transition.ts",
    find: "chargeRecipe(charge.capturedMinor, pricing)",
    replace: "chargeRecipe(charge.capturedMinor * 2, pricing)",
    misfortune: "no faults",
    caughtBy: ["payments_are_in_ledger"],
  },
];
