import type { Clock } from "../core/clock.ts";
import type { AccountId, RuleId } from "../core/ids.ts";
import { uuidOf } from "../core/ids.ts";
import { mapInTimeSlices } from "../core/time-slices.ts";
import { recordAuditEntry } from "../platform/audit/record-audit-entry.ts";
import type { Database } from "../platform/database/database.ts";
import { lowest } from "../platform/http/list.ts";
import { type Background, type Loop, startLoop } from "../platform/jobs/loop.ts";
import { listEnabledRules, lockRule, updateRule } from "./rule.sql.ts";
import type { Rule } from "./rule.ts";
import { whyUnusable } from "./rule-expression.ts";
import { incrementRevision } from "./rule-set.sql.ts";

export type RuleCheckDeps = {
  readonly database: Database;
  readonly clock: Clock;
  /** Called for each rule that was disabled because its expression is no longer accepted. */
  readonly onRuleDisabled?: (rule: DisabledRule) => void;
};

export type DisabledRule = {
  readonly account: AccountId;
  readonly rule: RuleId;
  readonly reason: string;
};

const batchSize = 200;
/**
 * The interval of the check. The check also runs after each start, because a new release can accept fewer expressions.
 */
const everyMs = 24 * 60 * 60_000;

/** Disables every stored rule whose expression is no longer accepted, once after the start and once a day. */
export function startRuleCheck(deps: RuleCheckDeps, background: Background): Loop {
  let after: string = lowest;
  return startLoop({
    name: "check of stored rules",
    everyMs,
    background,
    async work() {
      const rules = await listEnabledRules(deps.database.read, after, batchSize);
      await disableUnusable(deps, rules);
      const last = rules.at(-1);
      after = last && rules.length === batchSize ? uuidOf(last.id) : lowest;
      return rules.length === batchSize;
    },
  });
}

/** Disables the rules whose expressions are not accepted, and returns the others. */
export async function disableUnusable(
  deps: RuleCheckDeps,
  rules: readonly Rule[],
): Promise<readonly Rule[]> {
  const usable: Rule[] = [];
  const checked = await mapInTimeSlices(rules, (rule) => ({
    rule,
    reason: whyUnusable(rule.expression),
  }));
  for (const { rule, reason } of checked) {
    if (reason === null) usable.push(rule);
    else await disable(deps, rule, reason);
  }
  return usable;
}

async function disable(
  { database, clock, onRuleDisabled }: RuleCheckDeps,
  { id, scope, expression }: Rule,
  reason: string,
): Promise<void> {
  const disabled = await database.transaction(async (tx) => {
    const current = await lockRule(tx, scope, id);
    if (current?.status !== "enabled" || current.expression !== expression) return false;
    await updateRule(tx, { ...current, status: "disabled", disabledReason: reason });
    await incrementRevision(tx, scope);
    await recordAuditEntry(
      tx,
      {
        account: scope.account,
        livemode: scope.livemode,
        actor: { kind: "service" },
        action: "rule.disabled",
        object: id,
        before: { expression, status: "enabled" },
        after: { expression, status: "disabled" },
        reason,
      },
      clock,
    );
    return true;
  });
  if (disabled) onRuleDisabled?.({ account: scope.account, rule: id, reason });
}
