import type { DecisionOutcome } from "@florin/contract/decision.ts";
import type { Rule as RuleObject, RuleStatus, UpdateRule } from "@florin/contract/rule.ts";
import { unixSeconds } from "../core/clock.ts";
import { createdAt, type RuleId } from "../core/ids.ts";
import { type Metadata, mergeMetadata } from "../core/metadata.ts";
import type { Scope } from "../core/scope.ts";

/** A merchant's rule: the outcome of payments that match an expression. */
export type Rule = {
  readonly id: RuleId;
  readonly scope: Scope;
  readonly expression: string;
  readonly outcome: DecisionOutcome;
  readonly status: RuleStatus;
  /** The reason why the service disabled the rule, or null. */
  readonly disabledReason: string | null;
  readonly description: string | null;
  readonly metadata: Metadata;
};

export function ruleObject(rule: Rule): RuleObject {
  return {
    id: rule.id,
    object: "rule",
    livemode: rule.scope.livemode,
    created: unixSeconds(createdAt(rule.id)),
    expression: rule.expression,
    outcome: rule.outcome,
    status: rule.status,
    disabled_reason: rule.disabledReason,
    description: rule.description,
    metadata: { ...rule.metadata },
  };
}

export function changeRule(rule: Rule, change: UpdateRule): Rule {
  return {
    ...rule,
    expression: change.expression ?? rule.expression,
    outcome: change.outcome ?? rule.outcome,
    status: change.status ?? rule.status,
    disabledReason:
      change.status === undefined && change.expression === undefined ? rule.disabledReason : null,
    description: change.description === undefined ? rule.description : change.description,
    metadata: mergeMetadata(rule.metadata, change.metadata),
  };
}
