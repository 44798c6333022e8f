import { type AccountId, idFromUuid, uuidOf } from "../../core/ids.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";
import { noRules, type RoutingRule, type RoutingRules } from "./routing-rule.ts";

type RulesRow = {
  version: number;
  cascade_declines: boolean;
  rules: readonly RoutingRule[];
};

function toRules({ version, cascade_declines, rules }: RulesRow): RoutingRules {
  return { version, cascadeDeclines: cascade_declines, rules };
}

/**
 * Stores the next version of an account's rules. Returns false if `rules.version` exists already, because a concurrent
 * change was committed first.
 */
export async function insertRoutingRules(
  tx: Tx,
  account: AccountId,
  { version, cascadeDeclines, rules }: RoutingRules,
  now: Date,
): Promise<boolean> {
  const rows = await tx`
    insert into routing_rules (account_id, version, cascade_declines, rules, created_at)
    values (${uuidOf(account)}, ${version}, ${cascadeDeclines}, ${JSON.stringify(rules)}::jsonb, ${now})
        on conflict (account_id, version) do nothing
    returning version
  `;
  return rows.length === 1;
}

/** Returns the current rules of an account. */
export async function readRoutingRules(read: Sql, account: AccountId): Promise<RoutingRules> {
  const [row] = await read<RulesRow>`
    select version, cascade_declines, rules
      from routing_rules
     where account_id = ${uuidOf(account)}
     order by version desc
     limit 1
  `;
  return row ? toRules(row) : noRules;
}

/** Returns one version of an account's rules, to explain the route of a charge. Returns no rules for version 0. */
export async function readRoutingRulesVersion(
  read: Sql,
  account: AccountId,
  version: number,
): Promise<readonly RoutingRule[]> {
  const [row] = await read<Pick<RulesRow, "rules">>`
    select rules
      from routing_rules
     where account_id = ${uuidOf(account)} and version = ${version}
  `;
  return row?.rules ?? [];
}

/** Returns the current rules of all accounts, for the directory in memory. */
export async function listRoutingRules(
  read: Sql,
): Promise<readonly (RoutingRules & { readonly account: AccountId })[]> {
  const rows = await read<RulesRow & { account_id: string }>`
    select distinct on (account_id) account_id, version, cascade_declines, rules
      from routing_rules
     order by account_id, version desc
  `;
  return rows.map((row) => ({ account: idFromUuid("acct", row.account_id), ...toRules(row) }));
}
