import {
  AddOperator,
  type OperatorInConsole,
  OperatorsOrProposal,
  WithReason,
} from "@florin/contract/operator.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import type { SignedIn } from "../../identity/people/session.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import { type BrowserRoute, browserRoute } from "../../platform/http/browser-routes.ts";
import { ok } from "../../platform/http/route.ts";
import type { OperatorDeps } from "./operator-deps.ts";
import {
  type OperatorRequest,
  operatorAuditEntry,
  personIn,
  requireRecentStepUp,
} from "./operator-request.ts";
import { listOperators, lockOperators, removeOperator } from "./operators.sql.ts";
import { proposedResponse } from "./proposal.routes.ts";
import { performOrPropose } from "./propose-action.ts";

/**
 * Serves the list of operators. The first operator uses the setup link that the server prints. Existing operators add
 * all other operators.
 */
export function operatorsRoutes(deps: OperatorDeps): BrowserRoute<SignedIn>[] {
  const { database, clock } = deps;
  const route = browserRoute<SignedIn>();

  return [
    route({
      method: "GET",
      path: "/operators",
      response: OperatorsOrProposal,
      handle: async () => ok(await describe()),
    }),
    route({
      method: "POST",
      path: "/operators",
      body: AddOperator,
      response: OperatorsOrProposal,
      handle: (request) => add(request),
    }),
    route({
      method: "POST",
      path: "/operators/:person/remove",
      body: WithReason,
      response: OperatorsOrProposal,
      handle: (request) => remove(request),
    }),
    route({
      method: "POST",
      path: "/operators/:person/reset_second_factor",
      body: WithReason,
      response: OperatorsOrProposal,
      handle: (request) => reset(request),
    }),
  ];

  async function describe(): Promise<{ data: OperatorInConsole[] }> {
    const operators = await listOperators(database.read);
    return {
      data: operators.map(({ secondFactor, ...person }) => ({
        ...person,
        second_factor: secondFactor,
      })),
    };
  }

  async function add(request: OperatorRequest<AddOperator>) {
    requireRecentStepUp(request, clock.now());
    const { email, reason } = request.body;
    const action = { kind: "add_operator", email } as const;
    const proposal = await performOrPropose(deps, request, action, reason);
    return proposal ? proposedResponse(deps, proposal, request) : ok(await describe());
  }

  async function remove(request: OperatorRequest<WithReason>) {
    requireRecentStepUp(request, clock.now());
    const { reason } = request.body;
    await database.transaction(async (tx) => {
      const operators = await lockOperators(tx);
      const id = operators.find((one) => one === request.params.person);
      if (!id) throw noSuch("operator", request.params.person as string);
      if (operators.length === 1) {
        throw new ApiError(
          "status_transition_invalid",
          "This is the only operator. Add another operator first.",
        );
      }
      await removeOperator(tx, id);
      const after = { operator: false };
      const done = {
        account: null,
        action: "operator.removed",
        object: id,
        after,
        reason,
      } as const;
      await recordAuditEntry(tx, operatorAuditEntry(request, done), clock);
    });
    return ok(await describe());
  }

  /**
   * Resets the second factors of an operator who lost all of them. An operator who still has a second factor can change
   * the factors in their own settings.
   */
  async function reset(request: OperatorRequest<WithReason>) {
    requireRecentStepUp(request, clock.now());
    const action = { kind: "reset_operator_factor", person: personIn(request) } as const;
    const proposal = await performOrPropose(deps, request, action, request.body.reason);
    return proposal ? proposedResponse(deps, proposal, request) : ok(await describe());
  }
}
