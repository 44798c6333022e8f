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
    name: "an unknown answer is asked for again, under a new reference",
    file: "payments/charges/call-acquirer.ts",
    find: "  return rejectPartialApproval(processor, charge, answer);\n",
    replace: `  if (answer.kind === "unknown") {
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
  return rejectPartialApproval(processor, charge, answer);
`,
    misfortune: "answers are lost",
    caughtBy: ["approvals_have_payments"],
  },
  {
    name: "a fault of ours is kept as the key's answer",
    file: "payments/charges/create-charge.ts",
    find: "    async () => (await createCharge(deps, command))?.answer ?? null,\n",
    replace: `    async () => {
      const recorded = await createCharge(deps, command).catch(async (error) => {
        const { storeResponse } = await import("../../platform/idempotency/idempotency.sql.ts");
        const key = { owner: command.owner, key: command.idempotency?.key ?? "" };
        await deps.database.transaction((tx) => storeResponse(tx, key, { status: 500, body: "{}" }));
        throw error;
      });
      return recorded?.answer ?? null;
    },
`,
    misfortune: "an outcome cannot be written for a while",
    caughtBy: ["no_error_is_stored"],
  },
  {
    name: "a timeout is taken for a decline",
    file: "payments/charges/apply-response.ts",
    find: 'status: "processing", pendingReason: "outcome_unknown" };',
    replace: 'status: "failed", finalizedAt: now, failure: processingError };',
    misfortune: "answers are lost",
    caughtBy: ["approvals_have_payments"],
  },
  {
    name: "an unconfirmed reversal is believed",
    file: "payments/charges/call-acquirer.ts",
    find: "      return reversal;\n",
    replace: "      return afterReversal;\n",
    misfortune: "half approvals, and their reversal is lost",
    caughtBy: ["approvals_have_payments"],
  },
  {
    name: "an outcome is recorded over another, without compare-and-set",
    file: "payments/commit/commit-transitions.sql.ts",
    find: `         and t.version = i.version - 1\n         \${condition}\n`,
    replace: "",
    misfortune: "notices come before their answers",
    caughtBy: ["charges_are_announced_once"],
  },
  {
    name: "events are written from the input instead of what was recorded",
    file: "payments/commit/commit-transitions.sql.ts",
    find: `        from changed x\n       cross join lateral (values \${constant(rows`,
    replace: `        from \${rowsOf({ account_id: uuids(batch, ({ owner }) => owner.account), livemode: booleans(batch, ({ owner }) => owner.livemode), ...columns })} as x\n       cross join lateral (values \${constant(rows`,
    misfortune: "notices come before their answers",
    caughtBy: ["charges_are_announced_once"],
  },
  {
    name: "a decline is not announced",
    file: "payments/charges/charge-transition.ts",
    find: '      return "payment_failed";',
    replace: "      return null;",
    misfortune: "an ordinary day",
    caughtBy: ["charges_are_announced_once"],
  },
  {
    name: "events are not queued for the endpoints that listen",
    file: "webhooks/events/outbox.sql.ts",
    find: "fragment`w.status = 'enabled' and",
    replace: "fragment`w.status = 'disabled' and",
    misfortune: "an ordinary day",
    caughtBy: ["events_are_queued"],
  },
  {
    name: "the acquirer is asked before the intention is written down",
    file: "payments/charges/create-charge.ts",
    find: "  if (!(await open(deps, charge, command.idempotency))) return null;",
    replace:
      "  await authorize(command.processor, charge, command.paymentMethod);\n  if (!(await open(deps, charge, command.idempotency))) return null;",
    misfortune: "everybody sends twice",
    caughtBy: ["approvals_have_payments"],
  },
  {
    name: "a key that is taken does not stop a second charge",
    file: "payments/commit/intents.sql.ts",
    find: "     where (idempotency_key is null or id in (select charge_id from claimed))\n",
    replace: "     where true\n",
    misfortune: "everybody sends twice",
    caughtBy: ["one_key_one_charge"],
  },
  {
    name: "the answer is not kept with the outcome",
    file: "payments/commit/commit-transitions.sql.ts",
    find: "and k.status_code is null and x.response_status is not null\n",
    replace: "and k.status_code is null and false\n",
    misfortune: "an ordinary day",
    caughtBy: ["keys_have_responses"],
  },
  {
    name: "the fee is not posted to the books it is taken from",
    file: "payments/ledger/recipes.ts",
    find: '  fee: { debit: "merchant_balance", credit: "fee_income" },',
    replace: '  fee: { debit: "acquirer_receivable", credit: "fee_income" },',
    misfortune: "an ordinary day",
    caughtBy: ["transfers_match_their_kind"],
  },
  {
    name: "the books take what was asked for twice over",
    file: "payments/charges/charge-transition.ts",
    find: "chargeRecipe(charge.capturedMinor, pricing)",
    replace: "chargeRecipe(charge.capturedMinor * 2, pricing)",
    misfortune: "an ordinary day",
    caughtBy: ["payments_are_in_ledger"],
  },
];
