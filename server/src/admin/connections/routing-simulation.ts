import type { RoutingSimulation } from "@florin/contract/operator-routing.ts";
import type { AccountRouting } from "../../acquiring/connections/connection-directory.ts";
import type { Route } from "../../acquiring/routing/route.ts";
import type { RoutingRule } from "../../acquiring/routing/routing-rule.ts";
import type { AssignmentId } from "../../core/ids.ts";

/** Returns a simulated route for the admin console, with the names of the connections and the shares of splits. */
export function simulationObject(
  { matched, order, skipped }: Route,
  rules: readonly RoutingRule[],
  { candidates }: AccountRouting,
): RoutingSimulation {
  const found = new Map(candidates.map(({ assigned }) => [assigned.assignment.id, assigned]));
  const shown = (id: AssignmentId) => {
    const { assignment, connection } = found.get(id) as NonNullable<ReturnType<typeof found.get>>;
    return {
      assignment: id,
      connection: connection.id,
      connection_name: connection.name,
      processor: connection.processor,
      merchant_account: assignment.merchantAccount,
    };
  };
  const shares = sharesOf(order, rules);
  return {
    object: "routing_simulation",
    rules: rules.map(({ name }, index) => ({
      number: index + 1,
      name,
      matches: matched.includes(index + 1),
    })),
    order: order.map(({ assignment, rule }) => ({
      ...shown(assignment),
      rule: rule === 0 ? null : rule,
      share: shares.get(assignment) ?? 0,
    })),
    skipped: skipped.map(({ assignment, reason }) => ({ ...shown(assignment), reason })),
  };
}

/**
 * Returns the assignments that can be the first in the route. The value of each is the percentage of payments with the
 * same attributes for which it is the first.
 */
function sharesOf(
  order: Route["order"],
  rules: readonly RoutingRule[],
): ReadonlyMap<AssignmentId, number> {
  const [first] = order;
  if (!first) return new Map();
  const rule = rules[first.rule - 1];
  if (!rule) return new Map([[first.assignment, 100]]);
  const accepted = new Set(order.map(({ assignment }) => assignment));
  const targets = rule.targets.filter(({ assignment }) => accepted.has(assignment));
  const sum = targets.reduce((total, { weight }) => total + weight, 0);
  return new Map(
    targets.map(({ assignment, weight }) => [assignment, Math.round((1000 * weight) / sum) / 10]),
  );
}
