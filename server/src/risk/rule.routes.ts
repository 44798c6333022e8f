import { isDeepStrictEqual } from "node:util";
import { ListOf } from "@florin/contract/list.ts";
import {
  CreateRule,
  ListRules,
  maxRules,
  Rule,
  RuleDeleted,
  UpdateRule,
} from "@florin/contract/rule.ts";
import { ApiError, noSuch } from "../core/api-error.ts";
import type { Clock } from "../core/clock.ts";
import { newId, parseId, type RuleId } from "../core/ids.ts";
import type { Scope } from "../core/scope.ts";
import { type AuditValues, auditEntryOf } from "../platform/audit/audit-entry.ts";
import { recordAuditEntry } from "../platform/audit/record-audit-entry.ts";
import type { Database } from "../platform/database/database.ts";
import type { Tx } from "../platform/database/sql.ts";
import { listPage, pageOf } from "../platform/http/list.ts";
import { type ApiRequest, created, ok, type Route, route } from "../platform/http/route.ts";
import type { IdempotencyKeys } from "../platform/idempotency/idempotency.ts";
import {
  countRules,
  deleteRule,
  insertRule,
  listRules,
  lockRule,
  readRule,
  sumRuleCosts,
  updateRule,
} from "./rule.sql.ts";
import { changeRule, ruleObject, type Rule as StoredRule } from "./rule.ts";
import { compileRule, maxTotalRuleCost } from "./rule-expression.ts";
import { incrementRevision } from "./rule-set.sql.ts";
import type { RuleSets } from "./rule-set.ts";

export function ruleRoutes(deps: {
  database: Database;
  clock: Clock;
  idempotencyKeys: IdempotencyKeys;
  ruleSets: RuleSets;
}): Route[] {
  const { database, clock, idempotencyKeys, ruleSets } = deps;

  async function record(
    tx: Tx,
    request: ApiRequest,
    action: "created" | "updated" | "deleted",
    object: RuleId,
    change: { before?: AuditValues; after?: AuditValues },
  ): Promise<void> {
    const act = auditEntryOf(request, { action: `rule.${action}`, object, ...change });
    await recordAuditEntry(tx, act, clock);
  }

  return [
    route({
      method: "POST",
      path: "/rules",
      summary: "Create a rule",
      permission: "decisions:write",
      body: CreateRule,
      response: Rule,
      status: 201,
      async handle(request) {
        const { scope, body, idempotency } = request;
        compileRule(body.expression);
        const rule: StoredRule = {
          id: newId("rule", clock.now()),
          scope,
          expression: body.expression,
          outcome: body.outcome,
          status: body.status ?? "enabled",
          disabledReason: null,
          description: body.description ?? null,
          metadata: body.metadata ?? {},
        };
        const response = await idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
          // The update locks the revision, so that two concurrent requests cannot exceed the maximum number of rules.
          await incrementRevision(tx, scope);
          if ((await countRules(tx, scope)) >= maxRules) throw tooMany();
          await insertRule(tx, rule);
          await rejectTooCostly(tx, scope);
          await record(tx, request, "created", rule.id, { after: auditValues(rule) });
          return created(ruleObject(rule));
        });
        ruleSets.invalidate(scope);
        return response;
      },
    }),
    route({
      method: "GET",
      path: "/rules/:id",
      summary: "Retrieve a rule",
      permission: "decisions:read",
      response: Rule,
      status: 200,
      async handle({ scope, params }) {
        const id = idOf(params.id as string);
        const rule = await readRule(database.read, scope, id);
        if (!rule) throw noSuch("rule", id);
        return ok(ruleObject(rule));
      },
    }),
    route({
      method: "GET",
      path: "/rules",
      summary: "List rules",
      permission: "decisions:read",
      query: ListRules,
      response: ListOf(Rule, "/api/v1/rules"),
      status: 200,
      async handle({ scope, query }) {
        const page = pageOf(query, "rule");
        const rules = await listRules(database.read, scope, query.status, page);
        return ok(listPage(rules, page, "/api/v1/rules", ruleObject));
      },
    }),
    route({
      method: "POST",
      path: "/rules/:id",
      summary: "Update a rule",
      permission: "decisions:write",
      body: UpdateRule,
      response: Rule,
      status: 200,
      async handle(request) {
        const { scope, params, body, idempotency } = request;
        const id = idOf(params.id as string);
        if (body.expression !== undefined) compileRule(body.expression);
        const response = await idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
          const rule = await lockRule(tx, scope, id);
          if (!rule) throw noSuch("rule", id);
          const changed = changeRule(rule, body);
          // A rule that the service disabled stays disabled until its expression is accepted.
          if (changed.status === "enabled") compileRule(changed.expression);
          // An update without a change creates neither a revision of the rules nor an audit entry.
          if (isDeepStrictEqual(changed, rule)) return ok(ruleObject(rule));
          await updateRule(tx, changed);
          await incrementRevision(tx, scope);
          // Checks the total cost only if the rule is enabled, so that a merchant above the limit can still disable a
          // rule.
          if (changed.status === "enabled") await rejectTooCostly(tx, scope);
          const change = { before: auditValues(rule), after: auditValues(changed) };
          await record(tx, request, "updated", id, change);
          return ok(ruleObject(changed));
        });
        ruleSets.invalidate(scope);
        return response;
      },
    }),
    route({
      method: "DELETE",
      path: "/rules/:id",
      summary: "Delete a rule",
      permission: "decisions:write",
      response: RuleDeleted,
      status: 200,
      async handle(request) {
        const { scope, params } = request;
        const id = idOf(params.id as string);
        await database.transactionOf(scope, async (tx) => {
          const rule = await lockRule(tx, scope, id);
          if (!rule) throw noSuch("rule", id);
          await deleteRule(tx, scope, id);
          await incrementRevision(tx, scope);
          await record(tx, request, "deleted", id, { before: auditValues(rule) });
        });
        ruleSets.invalidate(scope);
        return ok({ id, object: "rule", deleted: true });
      },
    }),
  ];
}

function auditValues({ expression, outcome, status, description }: StoredRule): AuditValues {
  return { expression, outcome, status, description };
}

function idOf(text: string): RuleId {
  const id = parseId("rule", text);
  if (!id) throw noSuch("rule", text);
  return id;
}

function tooMany(): ApiError {
  return new ApiError(
    "parameter_invalid",
    `The account has reached the maximum of ${maxRules} rules. Delete a rule first, or combine two rules into one with ||.`,
    { param: "expression" },
  );
}

/**
 * Rejects the change if the enabled rules together take too long. The revision is locked, so no other request adds a
 * rule.
 */
async function rejectTooCostly(tx: Tx, scope: Scope): Promise<void> {
  if ((await sumRuleCosts(tx, scope)) <= maxTotalRuleCost) return;
  throw new ApiError(
    "parameter_invalid",
    "Together, the enabled rules would exceed the time limit for a payment. Use fewer calculations and fewer calls to size() and contains(), or disable a rule.",
    { param: "expression" },
  );
}
