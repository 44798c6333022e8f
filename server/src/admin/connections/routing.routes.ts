import {
  ReplaceRoutingRules,
  RoutingRules as RoutingRulesObject,
  RoutingSimulation,
  SimulateRouting,
} from "@florin/contract/operator-routing.ts";
import { changedSince } from "../../acquiring/connections/change-connection.ts";
import type { LiveAcquirers } from "../../acquiring/live-acquirers.ts";
import type { RoutedPayment } from "../../acquiring/routing/routed-payment.ts";
import { compileRules, noRules, type RoutingRules } from "../../acquiring/routing/routing-rule.ts";
import { insertRoutingRules, readRoutingRules } from "../../acquiring/routing/routing-rules.sql.ts";
import { validateRules } from "../../acquiring/routing/validate-rules.ts";
import { noSuch, noSuchParameter } from "../../core/api-error.ts";
import { type AccountId, type AssignmentId, parseId } from "../../core/ids.ts";
import { priceOf } from "../../core/money.ts";
import { readAccount } from "../../identity/accounts/account.sql.ts";
import type { SignedIn } from "../../identity/people/session.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import { type BrowserRoute, browserRoute } from "../../platform/http/browser-routes.ts";
import { ok } from "../../platform/http/route.ts";
import {
  accountIn,
  type OperatorRequest,
  operatorAuditEntry,
  requireRecentStepUp,
} from "../operator/operator-request.ts";
import type { ConnectionDeps } from "./connection-deps.ts";
import { simulationObject } from "./routing-simulation.ts";

export type RoutingDeps = ConnectionDeps & { readonly simulateRoute: LiveAcquirers["simulate"] };

/**
 * Serves the routing rules of accounts. A change requires a recent step-up and is audited. It needs no second operator,
 * because rules only choose among assignments, and each assignment was confirmed when it was created.
 */
export function routingRoutes(deps: RoutingDeps): BrowserRoute<SignedIn>[] {
  const { database, clock, directory } = deps;
  const route = browserRoute<SignedIn>();

  return [
    route({
      method: "GET",
      path: "/accounts/:account/routing_rules",
      response: RoutingRulesObject,
      async handle(request) {
        const account = await knownAccount(request);
        return ok(rulesObject(account, await readRoutingRules(database.read, account)));
      },
    }),
    route({
      method: "PUT",
      path: "/accounts/:account/routing_rules",
      body: ReplaceRoutingRules,
      response: RoutingRulesObject,
      handle: (request) => replace(request),
    }),
    route({
      method: "POST",
      path: "/routing/simulate",
      body: SimulateRouting,
      response: RoutingSimulation,
      handle: ({ body }) => simulate(body),
    }),
  ];

  async function replace(request: OperatorRequest<ReplaceRoutingRules>) {
    const now = clock.now();
    requireRecentStepUp(request, now);
    const account = await knownAccount(request);
    const { version, cascade_declines: cascadeDeclines, reason } = request.body;
    const rules = validateRules(request.body.rules, await activeAssignments(account));
    const after = { version: version + 1, cascadeDeclines, rules };
    await database.transaction(async (tx) => {
      const before = await readRoutingRules(tx, account);
      const isStored =
        before.version === version && (await insertRoutingRules(tx, account, after, now));
      if (!isStored) throw changedSince("list of routing rules");
      const entry = operatorAuditEntry(request, {
        account: null,
        action: "routing.changed",
        object: account,
        before: rulesValues(before),
        after: rulesValues(after),
        reason,
      });
      await recordAuditEntry(tx, entry, clock);
    });
    await directory.reload();
    return ok(rulesObject(account, after));
  }

  async function simulate({ account: named, payment, rules: draft }: SimulateRouting) {
    const account = parseId("acct", named);
    if (!account || !(await readAccount(database.read, account))) {
      throw noSuchParameter("account", named, "account");
    }
    const rules = draft
      ? { ...noRules, rules: validateRules(draft, await activeAssignments(account)) }
      : await readRoutingRules(database.read, account);
    const found = deps.simulateRoute(account, routedPayment(payment), compileRules(rules));
    return ok(simulationObject(found, rules.rules, directory.routingOf(account)));
  }

  async function knownAccount(request: OperatorRequest): Promise<AccountId> {
    const account = accountIn(request);
    if (!(await readAccount(database.read, account))) throw noSuch("account", account);
    return account;
  }

  /** Returns the account's active assignments, including those that another process has just created. */
  async function activeAssignments(account: AccountId): Promise<ReadonlySet<AssignmentId>> {
    await directory.reload();
    const { candidates } = directory.routingOf(account);
    return new Set(candidates.map(({ assigned }) => assigned.assignment.id));
  }
}

function rulesObject(account: AccountId, rules: RoutingRules): RoutingRulesObject {
  return { object: "routing_rules", account, ...rulesValues(rules) };
}

function rulesValues({ version, cascadeDeclines, rules }: RoutingRules) {
  return {
    version,
    cascade_declines: cascadeDeclines,
    rules: rules.map(({ name, condition, targets }) => ({
      name,
      condition,
      targets: targets.map(({ assignment, weight }) => ({ assignment, weight })),
    })),
  };
}

function routedPayment(payment: SimulateRouting["payment"]): RoutedPayment {
  return {
    key: payment.charge_id ?? null,
    price: priceOf(payment),
    card: {
      networks: { available: [payment.card_network], preferred: null },
      country: payment.card_country ?? null,
      funding: payment.card_funding ?? "unknown",
    },
    metadata: payment.metadata ?? {},
  };
}
