import { newId, uuidOf } from "../../src/core/ids.ts";
import type { CheckName } from "../../src/insights/verify/checks.ts";
import type { ProcessingCharge } from "../../src/payments/charges/charge.ts";
import type { Transition } from "../../src/payments/commit/transition.ts";
import { fragment, type Tx } from "../../src/platform/database/sql.ts";
import type { Scenario } from "./failure-scenario.ts";
import type { Mutation } from "./mutation.ts";

/** A mutation of the payment protocol, and the check that must detect it. */
export type Mutant = Mutation & {
  /** The failure scenario in which the checker detects the mutant. */
  readonly scenario: Scenario;
  /** The checks that can detect the mutant. At least one of them must fail. */
  readonly caughtBy: readonly CheckName[];
};

export const mutants: readonly Mutant[] = [
  {
    name: "an inquiry that finds nothing fails the charge immediately, without a reversal",
    replace: {
      "payments/charges/call-acquirer.ts": {
        reverseCharge: () => async () => ({ kind: "not_sent" }),
      },
    },
    scenario: "requests arrive after the inquiry",
    caughtBy: ["approvals_have_payments"],
  },
  {
    name: "an unknown outcome is retried with a new reference",
    replace: {
      "payments/charges/call-acquirer.ts": {
        sendAuthorization:
          (original) =>
          async (processor, charge, ...rest) => {
            const response = await original(processor, charge, ...rest);
            if (response.kind !== "unknown") return response;
            return original(processor, { ...charge, id: newId("ch", new Date()) }, ...rest);
          },
      },
    },
    scenario: "responses are lost",
    caughtBy: ["approvals_have_payments"],
  },
  {
    name: "an internal error is stored as the response of the key",
    replace: {
      "payments/charges/create-charge.ts": {
        createCharge: (original) => async (deps, command) => {
          try {
            return await original(deps, command);
          } catch (error) {
            const { storeResponse } = await import(
              "../../src/platform/idempotency/idempotency.sql.ts"
            );
            const key = { scope: command.scope, key: command.idempotency?.key ?? "" };
            const response = { status: 500, body: "{}" };
            await deps.database.transaction((tx) => storeResponse(tx, key, response));
            throw error;
          }
        },
      },
    },
    scenario: "writing an outcome fails for a while",
    caughtBy: ["no_error_is_stored"],
  },
  {
    name: "a timeout counts as a decline",
    replace: {
      "payments/charges/apply-response.ts": {
        chargeAfterResponse: (original) => (charge, response, now) =>
          original(charge, response.kind === "unknown" ? { kind: "not_sent" } : response, now),
      },
    },
    scenario: "responses are lost",
    caughtBy: ["approvals_have_payments"],
  },
  {
    name: "an unconfirmed reversal counts as confirmed",
    replace: {
      "payments/charges/call-acquirer.ts": {
        rejectPartialApproval: (original) => (processor, charge, response) =>
          original(
            Object.assign(Object.create(processor) as typeof processor, {
              async reverse(request: Parameters<typeof processor.reverse>[0]) {
                await processor.reverse(request);
                return { kind: "reversed" as const };
              },
            }),
            charge,
            response,
          ),
      },
    },
    scenario: "partial approvals whose reversal is lost",
    caughtBy: ["approvals_have_payments"],
  },
  {
    name: "an outcome overwrites another, without compare-and-set",
    replace: {
      "payments/commit/changes.ts": {
        specOf: (original) => (kind) =>
          kind === "chargeOutcome" ? { ...original(kind), condition: fragment`` } : original(kind),
      },
      "payments/commit/commit-transitions.sql.ts": {
        commitTransitions: (original) => async (tx, transitions, lease) => {
          const committed = await original(tx, transitions, lease);
          for (const [index, transition] of transitions.entries()) {
            if (committed[index]?.recorded) continue;
            const again = await original(tx, [await withStoredVersion(tx, transition)], lease);
            committed.splice(index, 1, ...again);
          }
          return committed;
        },
      },
    },
    scenario: "notifications arrive before responses",
    caughtBy: ["charges_are_announced_once"],
  },
  {
    name: "events are written from the input instead of the recorded rows",
    replace: {
      "payments/commit/commit-transitions.sql.ts": {
        commitTransitions: (original) => async (tx, transitions, lease) => {
          const { insertEvent } = await import("../../src/webhooks/events/outbox.sql.ts");
          const committed = await original(tx, transitions, lease);
          for (const [index, { scope, events = [] }] of transitions.entries()) {
            if (committed[index]?.recorded) continue;
            for (const event of events) await insertEvent(tx, scope, event);
          }
          return committed;
        },
      },
    },
    scenario: "notifications arrive before responses",
    caughtBy: ["charges_are_announced_once"],
  },
  {
    name: "a decline emits no event",
    replace: {
      "payments/charges/charge-transition.ts": {
        chargeTransition: (original) => (deps, charge, inputs) => {
          const transition = original(deps, charge, inputs);
          if (charge.status !== "failed") return transition;
          return {
            ...transition,
            events: [],
            response: { ...transition.response, isInEvent: false },
          };
        },
      },
    },
    scenario: "no faults",
    caughtBy: ["charges_are_announced_once"],
  },
  {
    name: "events create no deliveries for subscribed endpoints",
    replace: {
      "webhooks/events/outbox.sql.ts": {
        outbox: (original) => (events, lease) => original(events, lease, fragment`false`),
      },
    },
    scenario: "no faults",
    caughtBy: ["events_are_queued"],
  },
  {
    name: "the acquirer is called before the intent is recorded",
    replace: {
      "payments/charges/create-charge.ts": {
        createCharge: (original) => (deps, command) => {
          const { commits } = deps;
          const callFirst: typeof commits.insertCharge = async (newCharge) => {
            const { sendAuthorization } = await import(
              "../../src/payments/charges/call-acquirer.ts"
            );
            const charge = newCharge.charge as ProcessingCharge;
            if (command.paymentMethod.kind !== "card") return commits.insertCharge(newCharge);
            const card = command.paymentMethod.forAuthorization();
            const paying = { card, purpose: command.paymentMethod.purpose };
            await sendAuthorization(command.processor, charge, paying, {});
            return commits.insertCharge(newCharge);
          };
          return original({ ...deps, commits: { ...commits, insertCharge: callFirst } }, command);
        },
      },
    },
    scenario: "every request is sent twice",
    caughtBy: ["approvals_have_payments"],
  },
  {
    name: "a used idempotency key does not prevent a second charge",
    replace: {
      "payments/commit/intents.sql.ts": {
        insertCharges: (original) => async (tx, newCharges) => {
          const inserted = await original(tx, newCharges);
          for (const [index, newCharge] of newCharges.entries()) {
            if (inserted[index]) continue;
            const { charge, idempotency } = newCharge;
            await original(tx, [{ ...newCharge, idempotency: null }]);
            await tx`
              update charges set idempotency_key = ${idempotency?.key}
               where account_id = ${uuidOf(charge.scope.account)} and id = ${uuidOf(charge.id)}`;
          }
          return newCharges.map(() => true);
        },
      },
    },
    scenario: "every request is sent twice",
    caughtBy: ["one_key_one_charge"],
  },
  {
    name: "the response is not stored with the outcome",
    replace: {
      "payments/commit/commit-transitions.sql.ts": {
        commitTransitions: (original) => (tx, transitions, lease) =>
          original(
            tx,
            transitions.map((transition) => ({ ...transition, response: null })),
            lease,
          ),
      },
    },
    scenario: "no faults",
    caughtBy: ["keys_have_responses"],
  },
  {
    name: "the fee is not posted to the account that it is deducted from",
    replace: {
      "payments/ledger/posting-rules.ts": {
        transfer: (original) => (kind, amountMinor) => ({
          ...original(kind, amountMinor),
          ...(kind === "fee" && { debit: "acquirer_receivable" }),
        }),
      },
    },
    scenario: "no faults",
    caughtBy: ["transfers_match_their_kind"],
  },
  {
    name: "the ledger records twice the captured amount",
    replace: {
      "payments/ledger/posting-rules.ts": {
        chargeTransfers: (original) => (capturedMinor, pricing) =>
          original(capturedMinor * 2, pricing),
      },
    },
    scenario: "no faults",
    caughtBy: ["payments_are_in_ledger"],
  },
];

/** Returns the transition with the version that follows the stored charge's version. */
async function withStoredVersion(tx: Tx, transition: Transition): Promise<Transition> {
  const { scope, change } = transition;
  if (change.kind !== "chargeOutcome") return transition;
  const [stored] = await tx<{ version: number }>`
    select version from charges
     where account_id = ${uuidOf(scope.account)} and id = ${uuidOf(change.id)}`;
  const version = (stored?.version ?? 0) + 1;
  return { ...transition, change: { ...change, version } };
}
