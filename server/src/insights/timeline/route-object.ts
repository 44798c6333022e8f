import assert from "node:assert/strict";
import type { ChargeRoute } from "@florin/contract/timeline.ts";
import type { MerchantConnection } from "../../acquiring/connections/merchant-connections.ts";
import type { Route } from "../../acquiring/routing/route.ts";
import type { RoutingRule } from "../../acquiring/routing/routing-rule.ts";
import type { AssignmentId } from "../../core/ids.ts";
import type { Charge } from "../../payments/charges/charge.ts";
import type { FailedAttempt } from "../../payments/charges/charge-attempt.sql.ts";

/** The data that explains a charge's route. */
export type RouteSource = {
  readonly charge: Pick<Charge, "assignmentId">;
  readonly route: Route;
  /** The version of the account's rules that the route refers to. */
  readonly rules: readonly RoutingRule[];
  readonly failed: readonly FailedAttempt[];
  /** The connections that the account has or had. */
  readonly merchantConnections: readonly MerchantConnection[];
};

/**
 * Returns the explanation of a charge's route for the merchant. It names the acquirer and the merchant account, and not
 * the operator's connection.
 */
export function routeObject(source: RouteSource): ChargeRoute {
  const { charge, route, rules, failed, merchantConnections } = source;
  const shown = (id: AssignmentId) => {
    const found = merchantConnections.find((one) => one.id === id);
    assert(found, `${id} is on a route, but is missing`);
    return { processor: found.processor, merchant_account: found.merchantAccount };
  };
  const resultOf = (id: AssignmentId): ChargeRoute["connections"][number]["result"] => {
    const attempt = failed.find(({ assignmentId }) => assignmentId === id);
    if (attempt) return attempt.outcome === "declined" ? "declined" : "not_processed";
    return charge.assignmentId === id ? "used" : "not_needed";
  };
  return {
    rules: route.matched.map((number) => ({ number, name: rules[number - 1]?.name ?? "" })),
    connections: [
      ...route.order.map(({ assignment, rule }) => ({
        ...shown(assignment),
        result: resultOf(assignment),
        rule: rule === 0 ? null : rule,
        reason: null,
      })),
      ...route.skipped.map(({ assignment, reason }) => ({
        ...shown(assignment),
        // A failover selects an assignment again, so the charge may have been sent over an assignment that was skipped
        // at first.
        result: charge.assignmentId === assignment ? ("used" as const) : ("skipped" as const),
        rule: null,
        reason,
      })),
    ],
  };
}
