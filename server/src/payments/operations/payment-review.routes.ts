import { Decision } from "@florin/contract/decision.ts";
import { NoParameters } from "@florin/contract/no-parameters.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import { type ChargeId, type DecisionId, parseId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { recordPersonAction } from "../../platform/audit/record-person-action.ts";
import type { Tx } from "../../platform/database/sql.ts";
import {
  type ApiRequest,
  type ApiResponse,
  ok,
  type Route,
  route,
} from "../../platform/http/route.ts";
import { closeReview, readDecision } from "../../risk/decision.sql.ts";
import { decisionObject, type Decision as StoredDecision } from "../../risk/decision.ts";
import { lockCharge } from "../charges/charge.sql.ts";
import { closeChargeReview } from "../commit/charge-review.sql.ts";
import { readOpenHoldKind } from "./operation.sql.ts";
import type { OperationDeps } from "./operation-deps.ts";
import {
  finishOperation,
  insertOperation,
  isUnderWay,
  type StartedOperation,
} from "./run-operation.ts";

type Review = "approved" | "declined";

/**
 * Serves the endpoints that approve and decline payments in review. If the decision has no charge, the result
 * determines whether a charge can use the decision. If its charge is authorized, an ordinary operation captures or
 * voids the charge, so that a crash of the process does not lose the result.
 */
export function paymentReviewRoutes(deps: OperationDeps): Route[] {
  const { database, clock, idempotencyKeys } = deps;

  return [
    route({
      method: "POST",
      path: "/decisions/:id/approve",
      summary: "Approve a payment in review",
      permission: "reviews:write",
      body: NoParameters,
      response: Decision,
      status: 200,
      handle: (request) => close(request, "approved"),
    }),
    route({
      method: "POST",
      path: "/decisions/:id/decline",
      summary: "Decline a payment in review",
      permission: "reviews:write",
      body: NoParameters,
      response: Decision,
      status: 200,
      handle: (request) => close(request, "declined"),
    }),
  ];

  async function close(request: ApiRequest, review: Review): Promise<ApiResponse> {
    const { scope, params, idempotency } = request;
    const decision = await find(scope, params.id as string);
    const held = heldCharge(decision);
    if (held) {
      // After a crash, a retry runs this work again. It starts no second operation while the first is in progress, and
      // none after the charge was captured or canceled.
      return idempotencyKeys.runWithoutTransaction(scope, idempotency, async () =>
        ok(await reviewHeldCharge(request, held, decision.id, review)),
      );
    }
    return idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
      if (!(await closeReview(tx, scope, decision.id, review))) throw notOpen(decision);
      await record(tx, request, review, decision.id);
      return ok(decisionObject({ ...decision, review }, clock.now()));
    });
  }

  async function record(tx: Tx, request: ApiRequest, review: Review, id: DecisionId | ChargeId) {
    await recordPersonAction(tx, request, { action: `review.${review}`, object: id }, clock);
  }

  async function reviewHeldCharge(
    request: ApiRequest,
    id: ChargeId,
    decision: DecisionId,
    review: Review,
  ) {
    const { scope } = request;
    // One transaction closes the review and inserts the operation. Otherwise a capture by the merchant could start
    // between the two, after the review was declined.
    const started = await database.transactionOf(scope, (tx) => closeHeld(tx, request, id, review));
    if (started) await finishOperation(deps, started);
    const current = await find(scope, decision);
    // If another request closed the review with the same result, this request succeeds too.
    if (current.review !== review) throw notOpen(current);
    return decisionObject(current, clock.now());
  }

  /**
   * Closes the review of a held charge, and inserts the capture or void that follows. Returns null if no operation
   * follows, if an earlier request has started it, if the review was closed with the other result, or if the charge is
   * no longer authorized.
   */
  async function closeHeld(
    tx: Tx,
    request: ApiRequest,
    id: ChargeId,
    review: Review,
  ): Promise<StartedOperation | null> {
    const { scope } = request;
    const kind = review === "declined" ? "void" : "capture";
    const charge = await lockCharge(tx, scope, id);
    const underWay = await readOpenHoldKind(tx, scope, id);
    if (underWay !== null && underWay !== kind) throw isUnderWay(id);
    if (!(await closeChargeReview(tx, scope, id, review))) return null;
    await record(tx, request, review, id);
    // A charge with manual capture waits for the merchant's own capture request.
    const isManual = kind === "capture" && charge?.captureMethod === "manual";
    if (underWay !== null || isManual) return null;
    const parameters = { amountMinor: null, reason: null, metadata: {}, request: null };
    return insertOperation(deps, tx, { scope, kind, chargeId: id, ...parameters });
  }

  async function find(scope: Scope, text: string): Promise<StoredDecision> {
    const id = parseId("dec", text);
    const decision = id && (await readDecision(database.read, scope, id));
    if (!decision) throw noSuch("decision", text);
    return decision;
  }
}

/**
 * Returns the charge that this decision holds for review. Returns null if the merchant requested the decision
 * separately from a charge, or if the outcome is not `review`.
 */
function heldCharge({ id, chargeId, outcome }: StoredDecision): ChargeId | null {
  const isItsOwn = chargeId !== null && chargeId.slice("ch_".length) === id.slice("dec_".length);
  return isItsOwn && outcome === "review" ? chargeId : null;
}

function notOpen({ id, outcome, review }: StoredDecision): ApiError {
  const state = review ? `its review is '${review}'` : `its outcome is '${outcome}'`;
  return new ApiError(
    "status_transition_invalid",
    `The decision '${id}' is not in review: ${state}. The review must be 'open'.`,
    { param: "id" },
  );
}
