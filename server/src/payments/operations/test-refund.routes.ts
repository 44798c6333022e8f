import { NoParameters } from "@florin/contract/no-parameters.ts";
import { Refund } from "@florin/contract/refund.ts";
import type { TestControls } from "../../acquiring/test-network.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import { assertTestMode } from "../../core/assert-test-mode.ts";
import { parseId } from "../../core/ids.ts";
import {
  type ApiRequest,
  type ApiResponse,
  ok,
  type Route,
  route,
} from "../../platform/http/route.ts";
import { readOperation } from "./operation.sql.ts";
import type { OperationDeps } from "./operation-deps.ts";
import { recordOperation } from "./record-operation.ts";
import { operationIdOf, refundObject } from "./refund.ts";

/** Serves the test helper that simulates an issuer that returns a refund. */
export function testRefundRoutes(
  deps: OperationDeps,
  bank: Pick<TestControls, "failRefund">,
): Route[] {
  return [
    route({
      method: "POST",
      path: "/test_helpers/refunds/:id/fail",
      summary: "Simulate the failure of a refund",
      permission: "test_helpers:write",
      body: NoParameters,
      response: Refund,
      status: 200,
      storesResponse: true,
      handle: (request) => fail(request),
    }),
  ];

  async function fail({ scope, params }: ApiRequest): Promise<ApiResponse> {
    const text = params.id as string;
    const id = parseId("re", text);
    const refund = id && (await readOperation(deps.database.read, scope, operationIdOf(id)));
    if (refund?.kind !== "refund") throw noSuch("refund", text);
    assertTestMode(scope);
    const which = { account: scope.account, reference: refund.id };
    if (refund.status === "failed" || !(await bank.failRefund(which))) {
      const state = refund.status === "processing" ? "pending" : refund.status;
      throw new ApiError(
        "status_transition_invalid",
        `The refund '${id}' is '${state}' and cannot be failed now. It must be 'succeeded', or 'pending' after the simulated bank has received it.`,
        { param: "id" },
      );
    }
    const declined = { kind: "declined", code: "invalid_account", reason: null } as const;
    return ok(refundObject((await recordOperation(deps, refund, declined)).operation));
  }
}
