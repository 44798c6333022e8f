import type { ListName } from "@florin/contract/list-entry.ts";
import type { AccountId } from "../core/ids.ts";
import type { Scope } from "../core/scope.ts";
import { shareNextRun } from "../core/share-next-run.ts";
import {
  forEachInTimeSlices,
  mapInTimeSlices,
  type Paced,
  paceInTimeSlices,
} from "../core/time-slices.ts";
import { cacheUntilChanged } from "../platform/changes/cache-until-changed.ts";
import type { ChangeFeed } from "../platform/changes/change-feed.ts";
import { batchReads } from "../platform/database/batch-reads.ts";
import { type Matches, noMatches } from "./assess.ts";
import { disableUnusable, type RuleCheckDeps } from "./check-stored-rules.ts";
import { type ListedValue, readListedValues } from "./list-entry.sql.ts";
import { plainValue } from "./list-entry.ts";
import { readRuleSetSources } from "./rule.sql.ts";
import type { Rule } from "./rule.ts";
import { compileRule, type RuleCondition } from "./rule-expression.ts";
import type { Signals } from "./signals.ts";

/** A merchant's enabled rules and lists, compiled. */
export type RuleSet = {
  match(signals: Signals, now: Date): Matches;
  /**
   * Runs an evaluation with this rule set in slices of time. A hundred charges of one merchant can arrive in one turn
   * of the event loop, and rules of the maximum cost take 2.5 ms per charge.
   */
  readonly pace: Paced;
};

/** The rule sets of all merchants, cached so that a charge does not query Postgres. */
export type RuleSets = {
  /** Returns the rule set. Returns a promise only if the rule set is not cached. */
  of(scope: Scope): RuleSet | Promise<RuleSet>;
  /** Drops the cached rule sets of an account. Called after this server has changed one of them. */
  invalidate(scope: Scope): void;
};

/** A rule set of an account. `size` is its approximate size in kilobytes. */
type Kept = { readonly account: AccountId; readonly ruleSet: RuleSet; readonly size: number };

export type RuleSetDeps = RuleCheckDeps & {
  readonly changes: Pick<ChangeFeed, "position" | "isCurrent" | "invalidate">;
};

export function createRuleSets(deps: RuleSetDeps): RuleSets {
  const { database, clock, changes } = deps;
  const cache = cacheUntilChanged<Kept>(changes, {
    // Payments share the loads of a rule set. Otherwise, a merchant that changes a long list between payments would
    // load the list for each payment.
    read: shareNextRun((key) => open(scopeIn(key))),
    accountOf: ({ account }) => account,
    sizeOf: ({ size }) => size,
  });

  const readSource = batchReads((scopes: readonly Scope[]) =>
    readRuleSetSources(database.read, scopes),
  );

  async function open(scope: Scope): Promise<Kept> {
    const source = await readSource(scope);
    // Lists can be long, so each merchant's lists are read in a separate query.
    const entries = source.hasListEntries
      ? await readListedValues(database.read, scope, clock.now())
      : [];
    // A rule that is no longer accepted must not run, and must not prevent charges.
    const rules = await disableUnusable(deps, source.rules);
    const isEmpty = rules.length + entries.length === 0;
    const ruleSet = isEmpty ? emptyRuleSet : await compile(rules, entries);
    const size = 1 + rules.length + Math.ceil(entries.length / 5);
    return { account: scope.account, ruleSet, size };
  }

  return {
    of(scope) {
      const key = keyOf(scope);
      return cache.peek(key)?.ruleSet ?? cache.get(key).then((kept) => (kept as Kept).ruleSet);
    },
    invalidate: ({ account }) => changes.invalidate(account),
  };
}

function keyOf({ account, livemode }: Scope): string {
  return livemode ? `live ${account}` : `test ${account}`;
}

function scopeIn(key: string): Scope {
  const [mode, account] = key.split(" ") as [string, AccountId];
  return { account, livemode: mode === "live" };
}

const emptyRuleSet: RuleSet = { match: () => noMatches, pace: (work) => work() };

async function compile(rules: readonly Rule[], entries: readonly ListedValue[]): Promise<RuleSet> {
  const conditions = await mapInTimeSlices(rules, ({ id, outcome, expression }) => ({
    matched: { id, outcome },
    holds: compileRule(expression),
  }));
  const listed = new Map<string, ListedValue>();
  await forEachInTimeSlices(entries, (entry) => {
    // An earlier release stored other spellings of email addresses and domains.
    const place = `${entry.attribute} ${plainValue(entry.attribute, entry.value)}`;
    if (listed.get(place)?.list !== "allow") listed.set(place, entry);
  });
  const attributes = [...new Set(entries.map(({ attribute }) => attribute))];

  function listOf(signals: Signals, now: Date): ListName | null {
    let list: ListName | null = null;
    for (const attribute of attributes) {
      const found = listed.get(`${attribute} ${signals[attribute]}`);
      if (!found || (found.expires_at && found.expires_at <= now)) continue;
      if (found.list === "allow") return "allow";
      list = "block";
    }
    return list;
  }

  return {
    pace: paceInTimeSlices(),
    match: (signals, now) => ({
      list: listOf(signals, now),
      rules: conditions.filter(({ holds }) => isTrue(holds, signals)).map(({ matched }) => matched),
    }),
  };
}

/** Returns false for a rule that fails on a payment, for example with a division by zero. */
export function isTrue(condition: RuleCondition, signals: Signals): boolean {
  try {
    return condition(signals);
  } catch {
    return false;
  }
}
