import assert from "node:assert/strict";
import fc from "fast-check";
import * as charges from "./charge-steps.ts";
import { compare } from "./compare.ts";
import * as decisions from "./decision-steps.ts";
import * as disputes from "./dispute-steps.ts";
import { createMerchant, type Environment, type Merchant } from "./merchant.ts";
import { createModel, type Model } from "./model.ts";
import * as operations from "./operation-steps.ts";
import * as other from "./other-steps.ts";
import * as sessions from "./session-steps.ts";
import type { Step } from "./step.ts";

/** Every action of merchants and their customers, with its weight. */
const steps: readonly (readonly [weight: number, step: fc.Arbitrary<Step>])[] = [
  [10, charges.pay],
  [3, charges.authenticate],
  [1, charges.stranger],
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
  [2, decisions.makeRule],
  [1, decisions.deleteRule],
  [1, decisions.block],
  [2, other.saveCard],
  [3, other.payAbsent],
  [1, other.detachCard],
  [2, other.payOut],
  [2, other.passTime],
  [5, other.repeat],
];

const anyStep = fc.oneof(...steps.map(([weight, arbitrary]) => ({ weight, arbitrary })));

export type Run = { readonly sequences: number; readonly steps: number };

/**
 * Runs sequences of steps, each with its own merchant, several at a time. A failing sequence is shrunk and printed with
 * the seed that repeats it.
 */
export async function playSequences(
  environment: Environment,
  wanted: {
    readonly sequences: number;
    readonly seed: number;
    readonly immediate: number;
    /** Stops at the first failure, without shrinking. */
    readonly endAtFirst?: boolean;
  },
): Promise<Run> {
  const { sequences, seed, immediate: concurrent, endAtFirst = false } = wanted;
  let played = 0;
  let ran = 0;
  const lanes = Array.from({ length: concurrent }, (_, lane) => {
    const numRuns = Math.floor(sequences / concurrent) + (lane < sequences % concurrent ? 1 : 0);
    const commands = fc.commands(
      [anyStep.map((step) => commandOf(environment, step, () => ran++))],
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
      seed: seed + lane,
      unbiased: true,
      verbose: 1,
      endOnFailure: endAtFirst,
    });
  });
  const failures = (await Promise.allSettled(lanes)).filter(({ status }) => status === "rejected");
  assert.equal(failures.length, 0, failures.map(storyOf).join("\n\n"));
  assert.ok(played >= sequences);
  return { sequences: played, steps: ran };
}

/** Returns the shortest failing sequence, its seed and the failure. */
function storyOf(failure: PromiseSettledResult<void>): string {
  const { message, cause } = (failure as PromiseRejectedResult).reason as Error;
  return `${message}\n${cause instanceof Error ? cause.stack : cause}`;
}

type Real = { readonly merchant: Merchant; readonly model: Model };

function commandOf(
  environment: Environment,
  { words, can, run }: Step,
  count: () => void,
): fc.AsyncCommand<Model, Real> {
  return {
    check: (model) => can?.(model, environment.stormy) ?? true,
    async run(model, { merchant }) {
      count();
      await run(model, merchant);
    },
    toString: () => words,
  };
}
