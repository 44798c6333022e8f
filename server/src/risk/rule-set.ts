import type { ListAttribute, ListName } from "@florin/contract/list-entry.ts";
import { maxRules } from "@florin/contract/rule.ts";
import { mapInTimeSlices } from "../core/map-in-time-slices.ts";
import type { Scope } from "../core/scope.ts";
import { pageOf } from "../platform/http/list.ts";
import { type Background, type Loop, startLoop } from "../platform/jobs/loop.ts";
import { type Matches, noMatches } from "./assess.ts";
import { disableUnusable, type RuleCheckDeps } from "./check-stored-rules.ts";
import { readWholeLists } from "./list-entry.sql.ts";
import { listRules } from "./rule.sql.ts";
import type { Rule } from "./rule.ts";
import { compileRule, type RuleCondition } from "./rule-expression.ts";
import { readRevisions } from "./rule-set.sql.ts";
import type { Signals } from "./signals.ts";

/** A merchant's enabled rules and lists, compiled. */
export type RuleSet = { match(signals: Signals, now: Date): Matches };

/** The rule sets of all merchants, cached in memory so that a charge does not query Postgres. */
export type RuleSets = {
  /** Returns the rule set. Returns a promise only if the rule set is not cached. */
  of(scope: Scope): RuleSet | Promise<RuleSet>;
  /** Drops a rule set that this server has changed. */
  invalidate(scope: Scope): void;
  /** Checks every second for changes by other servers. */
  start(background: Background): Loop;
};

type Kept = { readonly scope: Scope; readonly revision: number; readonly book: RuleSet };

const maxKept = 10_000;

export function createRuleSets(deps: RuleCheckDeps): RuleSets {
  const { database, clock } = deps;
  const kept = new Map<string, Kept>();
  const beingRead = new Map<string, Promise<RuleSet>>();

  async function open(scope: Scope): Promise<RuleSet> {
    // Reads the revision first. A change between the two reads then causes a second load instead of being missed.
    const [{ revision } = { revision: 0 }] = await readRevisions(database.read, [scope]);
    const page = pageOf({ limit: maxRules }, "rule");
    const [stored, entries] = await Promise.all([
      listRules(database.read, scope, "enabled", page),
      readWholeLists(database.read, scope, clock.now()),
    ]);
    // A rule that is no longer accepted must not run, and must not prevent charges.
    const rules = await disableUnusable(deps, stored);
    const book = rules.length + entries.length === 0 ? emptyBook : await bookOf(rules, entries);
    if (kept.size >= maxKept) kept.clear();
    kept.set(placeOf(scope), { scope, revision, book });
    return book;
  }

  async function reloadIfChanged(): Promise<boolean> {
    const known = [...kept.values()];
    if (known.length === 0) return false;
    const revisions = await readRevisions(
      database.read,
      known.map(({ scope }) => scope),
    );
    const current = new Map(revisions.map(({ scope, revision }) => [placeOf(scope), revision]));
    for (const { scope, revision } of known) {
      const place = placeOf(scope);
      if ((current.get(place) ?? 0) !== revision) kept.delete(place);
    }
    return false;
  }

  return {
    of(scope) {
      const place = placeOf(scope);
      const known = kept.get(place);
      if (known) return known.book;
      let reading = beingRead.get(place);
      if (!reading) {
        reading = open(scope).finally(() => beingRead.delete(place));
        beingRead.set(place, reading);
      }
      return reading;
    },
    invalidate: (scope) => void kept.delete(placeOf(scope)),
    start: (background) =>
      startLoop({ name: "rule sets", everyMs: 1_000, background, work: reloadIfChanged }),
  };
}

function placeOf({ account, livemode }: Scope): string {
  return livemode ? `live ${account}` : `test ${account}`;
}

const emptyBook: RuleSet = { match: () => noMatches };

type Entry = { list: ListName; attribute: ListAttribute; value: string; expiresAt: Date | null };

async function bookOf(rules: readonly Rule[], entries: readonly Entry[]): Promise<RuleSet> {
  const conditions = await mapInTimeSlices(rules, ({ id, outcome, expression }) => ({
    matched: { id, outcome },
    holds: compileRule(expression),
  }));
  const listed = new Map<string, Entry>();
  for (const entry of entries) {
    const place = `${entry.attribute} ${entry.value}`;
    if (listed.get(place)?.list !== "allow") listed.set(place, entry);
  }
  const attributes = [...new Set(entries.map(({ attribute }) => attribute))];

  function listOf(signals: Signals, now: Date): ListName | null {
    let list: ListName | null = null;
    for (const attribute of attributes) {
      const found = listed.get(`${attribute} ${signals[attribute]}`);
      if (!found || (found.expiresAt && found.expiresAt <= now)) continue;
      if (found.list === "allow") return "allow";
      list = "block";
    }
    return list;
  }

  return {
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
