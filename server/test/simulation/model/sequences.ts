import assert from "node:assert/strict";
import fc from "fast-check";
import { advanceTime } from "./advance-time.ts";
import * as charges from "./charge-steps.ts";
import { compare } from "./compare.ts";
import * as decisions from "./decision-steps.ts";
import * as disputes from "./dispute-steps.ts";
import { createMerchant, type Environment, type Merchant } from "./merchant.ts";
import { createModel, type Model } from "./model.ts";
import * as operations from "./operation-steps.ts";
import { createPayout } from "./payout-steps.ts";
import { repeatRequest } from "./repeat-request.ts";
import * as savedCards from "./saved-card-steps.ts";
import * as sessions from "./session-steps.ts";
import type { Step } from "./step.ts";

/** The steps of merchants, customers and banks, with their weights in the random selection. */
const steps: readonly (readonly [weight: number, step: fc.Arbitrary<Step>])[] = [
  [10, charges.pay],
  [3, charges.authenticate],
  [1, charges.requestUnknownObject],
  [6, operations.captureStep],
  [4, operations.cancelStep],
  [8, operations.refund],
  [2, operations.failRefund],
  [4, disputes.openDispute],
  [3, disputes.submitEvidence],
  [1, disputes.acceptDispute],
  [2, disputes.decideDispute],
  [4, sessions.openSession],
  [6, sessions.payInSession],
  [2, sessions.expireSession],
  [3, decisions.requestDecision],
  [3, decisions.payWithDecision],
  [3, decisions.review],
  [2, decisions.createRule],
  [1, decisions.deleteRule],
  [1, decisions.block],
  [2, savedCards.saveCard],
  [3, savedCards.chargeSavedCard],
  [1, savedCards.detachCard],
  [2, createPayout],
  [2, advanceTime],
  [5, repeatRequest],
];

const anyStep = fc.oneof(...steps.map(([weight, arbitrary]) => ({ weight, arbitrary })));

export type Run = { readonly sequences: number; readonly steps: number };

/**
 * Runs sequences of steps concurrently, each with a separate merchant. Shrinks a failing sequence, and throws an error
 * with the shortest sequence and the seed that repeats it.
 */
export async function playSequences(
  environment: Environment,
  options: {
    readonly sequences: number;
    readonly seed: number;
    readonly concurrency: number;
    /** True to stop at the first failure, without shrinking. */
    readonly endAtFirst?: boolean;
  },
): Promise<Run> {
  const { sequences, seed, concurrency, endAtFirst = false } = options;
  let played = 0;
  let stepsRun = 0;
  const runners = Array.from({ length: concurrency }, (_, runner) => {
    const numRuns =
      Math.floor(sequences / concurrency) + (runner < sequences % concurrency ? 1 : 0);
    const commands = fc.commands(
      [anyStep.map((step) => commandOf(environment, step, () => stepsRun++))],
      {
        maxCommands: 24,
        size: "max",
      },
    );
    const property = fc.asyncProperty(commands, fc.nat(), async (sequence, random) => {
      const merchant = await createMerchant(environment, random);
      const model = createModel();
      await fc.asyncModelRun(() => ({ model, real: { merchant, model } }), sequence);
      await compare(model, merchant);
      played++;
    });
    return fc.assert(property, {
      numRuns,
      seed: seed + runner,
      unbiased: true,
      verbose: 1,
      endOnFailure: endAtFirst,
    });
  });
  const failures = (await Promise.allSettled(runners)).filter(
    ({ status }) => status === "rejected",
  );
  assert.equal(failures.length, 0, failures.map(describeFailure).join("\n\n"));
  assert.ok(played >= sequences);
  return { sequences: played, steps: stepsRun };
}

/** Returns the message of fast-check, which contains the shortest failing sequence and its seed, and the stack. */
function describeFailure(failure: PromiseSettledResult<void>): string {
  const { message, cause } = (failure as PromiseRejectedResult).reason as Error;
  return `${message}\n${cause instanceof Error ? cause.stack : cause}`;
}

type Real = { readonly merchant: Merchant; readonly model: Model };

function commandOf(
  environment: Environment,
  { description, can, run }: Step,
  count: () => void,
): fc.AsyncCommand<Model, Real> {
  return {
    check: (model) => can?.(model, environment.hasInterruptions) ?? true,
    async run(model, { merchant }) {
      count();
      await run(model, merchant);
    },
    toString: () => description,
  };
}
