import type { Background, Loop } from "../platform/jobs/loop.ts";
import { alone, type Siblings } from "../platform/processes/siblings.ts";
import { createAmountHistory } from "./amount-history.ts";
import { startRuleCheck } from "./check-stored-rules.ts";
import { createRiskEngine, type RiskEngine } from "./risk-engine.ts";
import { createRuleSets, type RuleSetDeps, type RuleSets } from "./rule-set.ts";
import { mergeVelocity, startVelocityMerge } from "./velocity.jobs.ts";
import { createVelocity } from "./velocity.ts";
import { createVelocityRelay } from "./velocity-relay.ts";

/** A risk engine with in-memory counters, and the loops that synchronize them with other processes. */
export type RiskServices = {
  readonly riskEngine: RiskEngine;
  readonly ruleSets: RuleSets;
  start(): Loop[];
  /** Writes the unsaved counts to the database before this process stops. */
  flush(): Promise<void>;
};

export function createRiskServices(
  deps: RuleSetDeps & { readonly siblings?: Siblings },
  background: Background,
): RiskServices {
  const relay = createVelocityRelay(deps.siblings ?? alone);
  const velocity = createVelocity({ onCount: relay.count });
  relay.deliverTo(velocity);
  const ruleSets = createRuleSets(deps);
  const history = createAmountHistory(deps, background.onError);
  return {
    riskEngine: createRiskEngine({ ...deps, velocity, ruleSets, history }),
    ruleSets,
    async flush() {
      await mergeVelocity({ ...deps, velocity }).catch((error: unknown) =>
        background.onError("velocity counters", error),
      );
    },
    start: () => [
      startRuleCheck(deps, background),
      startVelocityMerge({ ...deps, velocity }, background),
    ],
  };
}
