import type { DecisionOutcome } from "@florin/contract/decision.ts";
import type { OneOrMore } from "@florin/contract/list.ts";
import type { RuleStatus } from "@florin/contract/rule.ts";
import { idFromUuid, type RuleId, uuidOf } from "../core/ids.ts";
import type { Metadata } from "../core/metadata.ts";
import type { Scope } from "../core/scope.ts";
import { booleans, integers, keysOf, uuids } from "../platform/database/array-parameter.ts";
import { fragment, type Sql, type Tx } from "../platform/database/sql.ts";
import { isOneOf, type Page, pageRows } from "../platform/http/list.ts";
import type { Rule } from "./rule.ts";
import { costOfRule } from "./rule-expression.ts";

type RuleRow = {
  account_id: string;
  livemode: boolean;
  id: string;
  expression: string;
  outcome: DecisionOutcome;
  status: RuleStatus;
  disabled_reason: string | null;
  description: string | null;
  metadata: Metadata;
};

const columns = fragment`account_id, livemode, id, expression, outcome, status, disabled_reason, description, metadata`;

export async function insertRule(tx: Tx, rule: Rule): Promise<void> {
  const { scope } = rule;
  await tx`
    insert into rules (account_id, livemode, id, expression, outcome, status, disabled_reason, description, metadata, cost)
    values (${uuidOf(scope.account)}, ${scope.livemode}, ${uuidOf(rule.id)}, ${rule.expression},
            ${rule.outcome}, ${rule.status}, ${reasonOf(rule)}, ${rule.description}, ${JSON.stringify(rule.metadata)},
            ${costWhenEnabled(rule)})
  `;
}

export async function readRule(read: Sql, scope: Scope, id: RuleId): Promise<Rule | null> {
  const [row] = await read<RuleRow>`
    select ${columns}
      from rules
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
  `;
  return row ? toRule(row) : null;
}

export async function lockRule(tx: Tx, scope: Scope, id: RuleId): Promise<Rule | null> {
  const [row] = await tx<RuleRow>`
    select ${columns}
      from rules
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
       for update
  `;
  return row ? toRule(row) : null;
}

export async function listRules(
  read: Sql,
  scope: Scope,
  status: OneOrMore<RuleStatus> | undefined,
  page: Page,
): Promise<Rule[]> {
  const rows = await read<RuleRow>`
    select ${columns}
      from rules
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       ${isOneOf(fragment`status`, status)}
       ${pageRows(page)}
  `;
  return rows.map(toRule);
}

/** The rules of a merchant, and whether the rule set also needs lists. */
export type RuleSetSource = {
  /** The enabled rules, newest first. */
  readonly rules: readonly Rule[];
  /** True if the merchant has entries in its lists. Nearly all merchants have none. */
  readonly hasListEntries: boolean;
};

/** Returns the enabled rules of each scope, uncompiled and in the order of `scopes`. */
export async function readRuleSetSources(
  read: Sql,
  scopes: readonly Scope[],
): Promise<RuleSetSource[]> {
  const requested = keysOf({
    account: uuids(scopes, ({ account }) => account),
    mode: booleans(scopes, ({ livemode }) => livemode),
    place: integers(scopes, (_, index) => index),
  });
  type Row = { place: number; has_list_entries: boolean } & (RuleRow | { id: null });
  const rows = await read<Row>`
    select requested.place, r.*,
           exists (select from list_entries e
                    where e.account_id = requested.account and e.livemode = requested.mode) as has_list_entries
      from ${requested} as requested
      left join lateral (
        select ${columns}
          from rules
         where account_id = requested.account and livemode = requested.mode and status = 'enabled'
      ) as r on true
     order by r.id desc
  `;
  const sources = scopes.map(() => ({ rules: [] as Rule[], hasListEntries: false }));
  for (const { place, has_list_entries: hasListEntries, ...row } of rows) {
    const source = sources[place] as (typeof sources)[number];
    source.hasListEntries = hasListEntries;
    if (row.id !== null) source.rules.push(toRule(row));
  }
  return sources;
}

/** Returns enabled rules of all merchants in ID order, for the periodic check of stored rules. */
export async function listEnabledRules(read: Sql, after: string, limit: number): Promise<Rule[]> {
  const rows = await read<RuleRow>`
    select ${columns} from rules where status = 'enabled' and id > ${after} order by id limit ${limit}
  `;
  return rows.map(toRule);
}

export async function countRules(read: Sql, scope: Scope): Promise<number> {
  const [row] = await read<{ count: number }>`
    select count(*)::integer as count
      from rules
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
  `;
  return row?.count ?? 0;
}

/** Returns the total cost of the enabled rules, in the units of `maxTotalRuleCost`. */
export async function sumRuleCosts(read: Sql, scope: Scope): Promise<number> {
  const [row] = await read<{ cost: number }>`
    select coalesce(sum(cost), 0)::integer as cost
      from rules
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
  `;
  return row?.cost ?? 0;
}

export async function updateRule(tx: Tx, rule: Rule): Promise<void> {
  const { scope } = rule;
  await tx`
    update rules
       set expression = ${rule.expression}, outcome = ${rule.outcome}, status = ${rule.status},
           disabled_reason = ${reasonOf(rule)}, description = ${rule.description}, metadata = ${JSON.stringify(rule.metadata)},
           cost = ${costWhenEnabled(rule)}
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(rule.id)}
  `;
}

export async function deleteRule(tx: Tx, scope: Scope, id: RuleId): Promise<boolean> {
  const rows = await tx`
    delete from rules
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
    returning id
  `;
  return rows.length === 1;
}

/**
 * Returns zero for a disabled rule, which is not evaluated. Its expression may no longer be accepted and then has no
 * cost.
 */
function costWhenEnabled({ status, expression }: Rule): number {
  return status === "enabled" ? costOfRule(expression) : 0;
}

/** Returns the reason why the rule is disabled, or null for an enabled rule. */
function reasonOf({ status, disabledReason }: Rule): string | null {
  return status === "disabled" ? disabledReason : null;
}

function toRule(row: RuleRow): Rule {
  const { account_id, livemode, id, disabled_reason, ...rest } = row;
  return {
    id: idFromUuid("rule", id),
    scope: { account: idFromUuid("acct", account_id), livemode },
    disabledReason: disabled_reason,
    ...rest,
  };
}
