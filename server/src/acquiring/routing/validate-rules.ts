import { ApiError, noSuchParameter } from "../../core/api-error.ts";
import { type AssignmentId, parseId } from "../../core/ids.ts";
import {
  compileRoutingCondition,
  costOfRoutingCondition,
  maxRoutingCost,
  type RoutingRule,
} from "./routing-rule.ts";

/** A rule as sent by an operator. */
type SentRule = Pick<RoutingRule, "name" | "condition"> & {
  readonly targets: readonly { readonly assignment: string; readonly weight: number }[];
};

/**
 * Returns the rules of a request. Throws a 400 that names the parameter if a condition is not valid, or if a target is
 * not one of the account's active assignments.
 */
export function validateRules(
  sent: readonly SentRule[],
  active: ReadonlySet<AssignmentId>,
): readonly RoutingRule[] {
  const rules = sent.map(({ name, condition, targets }, index) => {
    if (condition !== null) compileRoutingCondition(condition, `rules[${index}].condition`);
    return {
      name,
      condition,
      targets: targets.map(({ assignment, weight }, place) => ({
        assignment: targetNamed(`rules[${index}].targets[${place}].assignment`, assignment, active),
        weight,
      })),
    };
  });
  for (const [index, { targets }] of rules.entries()) {
    if (new Set(targets.map(({ assignment }) => assignment)).size === targets.length) continue;
    throw invalid(
      `rules[${index}].targets`,
      `\`rules[${index}].targets\` contains an assignment twice. Send one target with the sum of the weights.`,
    );
  }
  const cost = rules.reduce(
    (sum, { condition }) => sum + (condition === null ? 0 : costOfRoutingCondition(condition)),
    0,
  );
  if (cost <= maxRoutingCost) return rules;
  throw invalid(
    "rules",
    `The conditions in \`rules\` are too complex. Their total cost is ${cost}, and the limit is ${maxRoutingCost}. Arithmetic costs the most. Simplify or remove conditions.`,
  );
}

function targetNamed(param: string, text: string, active: ReadonlySet<AssignmentId>): AssignmentId {
  const id = parseId("asg", text);
  if (!id) throw noSuchParameter("assignment", text, param);
  if (active.has(id)) return id;
  throw invalid(
    param,
    `\`${param}\` is '${text}', which is not an active assignment of this account. ${fixFor(active)}`,
  );
}

function fixFor(active: ReadonlySet<AssignmentId>): string {
  if (active.size === 0) return "The account has no active assignment. Create one first.";
  return `Send one of: ${[...active].join(", ")}.`;
}

function invalid(param: string, message: string): ApiError {
  return new ApiError("parameter_invalid", message, { param });
}
