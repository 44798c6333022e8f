import { CreateRuleTrial, RuleTrial, trialBounds } from "@florin/contract/rule.ts";
import { ApiError, noSuchParameter } from "../../core/api-error.ts";
import { parseId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { forEachInTimeSlices } from "../../core/time-slices.ts";
import type { Database } from "../../platform/database/database.ts";
import { pageOf } from "../../platform/http/list.ts";
import { created, type Route, route } from "../../platform/http/route.ts";
import { readRule } from "../../risk/rule.sql.ts";
import { compileRule } from "../../risk/rule-expression.ts";
import { isTrue } from "../../risk/rule-set.ts";
import type { Charge } from "./charge.ts";
import { findCharges } from "./find-charges.ts";
import { pastSignals } from "./past-signals.ts";

/** Evaluates a rule on past charges before it is enabled. Writes nothing. */
export function ruleTrialRoutes(database: Database): Route[] {
  return [
    route({
      method: "POST",
      path: "/rule_trials",
      summary: "Try a rule on past charges",
      permission: "decisions:read",
      body: CreateRuleTrial,
      response: RuleTrial,
      status: 201,
      storesResponse: true,
      scans: true,
      async handle({ scope, body }) {
        const expression = await expressionOf(scope, body);
        const holds = compileRule(
          expression,
          body.rule_id === undefined ? "expression" : "rule_id",
        );
        const page = pageOf({ limit: body.limit ?? trialBounds.default }, "ch");
        const found = await findCharges(database.read, scope, {}, page);
        const charges = found.slice(0, page.limit);
        const matched: Charge[] = [];
        // A thousand evaluations of a costly rule take 200 ms.
        await forEachInTimeSlices(charges, (charge) => {
          if (isTrue(holds, pastSignals(charge))) matched.push(charge);
        });
        return created({
          object: "rule_trial",
          livemode: scope.livemode,
          expression,
          tried: charges.length,
          matched: matched.length,
          matched_succeeded: countIn(matched, ["succeeded", "authorized"]),
          matched_failed: countIn(matched, ["failed"]),
          charges: matched.slice(0, trialBounds.shown).map(({ id }) => id),
        });
      },
    }),
  ];

  async function expressionOf(scope: Scope, body: CreateRuleTrial): Promise<string> {
    const { expression, rule_id } = body;
    if (expression !== undefined && rule_id !== undefined) {
      throw new ApiError(
        "parameters_exclusive",
        "Send either `expression` or `rule_id`. Got both.",
        {
          param: "rule_id",
        },
      );
    }
    if (expression !== undefined) return expression;
    if (rule_id === undefined) {
      throw new ApiError(
        "parameter_missing",
        "Send either `expression` or `rule_id`. Got neither.",
        {
          param: "expression",
        },
      );
    }
    const id = parseId("rule", rule_id);
    const rule = id && (await readRule(database.read, scope, id));
    if (!rule) throw noSuchParameter("rule", rule_id, "rule_id");
    return rule.expression;
  }
}

function countIn(charges: readonly Charge[], statuses: readonly Charge["status"][]): number {
  return charges.filter(({ status }) => statuses.includes(status)).length;
}
