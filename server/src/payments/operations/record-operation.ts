import assert from "node:assert/strict";
import type { OperationOutcome } from "../../acquiring/outcome.ts";
import { newId } from "../../core/ids.ts";
import type { Pricing } from "../../core/pricing.ts";
import { assertTransition } from "../../core/transitions.ts";
import { pricingIn } from "../../identity/accounts/fees-and-limits.ts";
import type { Tx } from "../../platform/database/sql.ts";
import type { ApiResponse } from "../../platform/http/route.ts";
import { lockCharge } from "../charges/charge.sql.ts";
import { type Charge, chargeTransitions } from "../charges/charge.ts";
import { amountsOf } from "../charges/charge-row.ts";
import { chargeText } from "../charges/charge-text.ts";
import { nextInquiry } from "../charges/inquiry-schedule.ts";
import { writeThrough } from "../charges/record-charge.ts";
import { commitTransition } from "../commit/commit-transitions.sql.ts";
import type { SessionChange, Transition } from "../commit/transition.ts";
import { closeRefundedInquiries } from "../disputes/record-dispute.ts";
import { operationOutcome, readOperation } from "./operation.sql.ts";
import {
  applyInquiry,
  applyOperationResponse,
  type Operation,
  type OperationEffect,
  operationTransitions,
  type Rendering,
} from "./operation.ts";
import type { OperationDeps } from "./operation-deps.ts";
import { operationRules } from "./operation-rules.ts";

/** An operation as recorded, and the response to the request that created the operation. */
export type RecordedOperation = { readonly operation: Operation; readonly response: ApiResponse };

/**
 * Records an operation's outcome: operation, charge, ledger, events, deliveries, session and stored response in one
 * commit. If another writer has already recorded an outcome, changes nothing and returns that outcome.
 */
export async function recordOperation(
  deps: OperationDeps,
  from: Operation,
  response: OperationOutcome,
  by: "request" | "inquiry" = "request",
): Promise<RecordedOperation> {
  const recorded = await decideOperation(deps, from, (before, now) => {
    const updated = applyOperationResponse(before, response, newId("txn", now));
    const isInquiry = by === "inquiry" && before.status === "processing";
    return isInquiry ? applyInquiry(before, updated, now) : updated;
  });
  const { operation } = recorded;
  const isStuck = operation.status === "processing" && operation.pendingReason === "manual_review";
  if (isStuck) deps.log.manualReview(operation.id);
  return recorded;
}

/** Returns the next state of an operation, or null if the operation stays unchanged. */
type Decide = (before: Operation, now: Date) => Operation | null;

/** Records an operation like `recordOperation`, but with the next state that `decide` returns. */
export async function decideOperation(
  deps: OperationDeps,
  from: Operation,
  decide: Decide,
): Promise<RecordedOperation> {
  const known = await readBeforeTransaction(deps, from);
  const recorded = await writeThrough(() =>
    deps.database.transactionOf(from.scope, (tx) => record(deps, tx, from, { decide, ...known })),
  );
  deps.wakeDeliveries();
  return recorded;
}

async function record(
  deps: OperationDeps,
  tx: Tx,
  { scope, id, chargeId }: Operation,
  { decide, pricing, render }: Known & { readonly decide: Decide },
): Promise<RecordedOperation> {
  // The charge's lock also protects its operations, because every writer of an operation acquires it first.
  const charge = await lockCharge(tx, scope, chargeId);
  const before = await readOperation(tx, scope, id);
  assert(charge && before, `${id} was inserted but is missing`);
  const now = deps.clock.now();
  const rules = operationRules[before.kind];

  const after = decide(before, now);
  if (!after) return { operation: before, response: rules.response(before, charge, render) };

  assertTransition(operationTransitions, id, before.status, after.status);
  const effect = rules.applyOutcome(before, after, { charge, pricing, now, render });
  assertTransition(chargeTransitions, chargeId, charge.status, effect.charge.status);
  const response = rules.response(after, effect.charge, render);
  const due = dueAt(deps, after, now);
  const transition = operationTransition(after, {
    before: charge,
    effect,
    response,
    dueAt: due,
    now,
  });
  assert(await commitTransition(tx, transition), `${id} changed under its charge's lock`);
  if (after.kind === "refund" && after.status === "succeeded") {
    assert(
      effect.charge.status === "succeeded",
      `${id} refunded a charge without a captured amount`,
    );
    await closeRefundedInquiries(tx, effect.charge, { cause: after.request, now });
  }
  return { operation: after, response };
}

/**
 * Returns the transition to an operation's next state, with its effect on the charge and the response to its request.
 */
export function operationTransition(
  operation: Operation,
  recorded: {
    /** The charge before the transition. */
    readonly before: Charge;
    readonly effect: OperationEffect;
    readonly response: ApiResponse;
    readonly dueAt: Date | null;
    readonly now: Date;
  },
): Transition<"operationOutcome"> {
  const { before, effect, response, dueAt, now } = recorded;
  return {
    scope: operation.scope,
    change: operationOutcome(operation, { dueAt, now }),
    charge: effect.charge === before ? null : amountsOf(effect.charge),
    entries: effect.entry ? [effect.entry] : [],
    events: effect.events,
    session: endOfHold(before, effect.charge),
    response: operation.request?.idempotencyKey ? response : null,
  };
}

/**
 * Returns the new state of the session after its authorized charge was captured (`paid`) or voided (`unpaid`). Returns
 * null if there is no session or the charge is still authorized.
 */
function endOfHold(before: Charge, after: Charge): SessionChange | null {
  if (!after.checkoutSessionId) return null;
  if (before.status !== "authorized" || after.status === "authorized") return null;
  return {
    id: after.checkoutSessionId,
    status: "complete",
    paymentStatus: after.status === "succeeded" ? "paid" : "unpaid",
    lastPaymentError: null,
  };
}

function dueAt(deps: OperationDeps, operation: Operation, now: Date): Date | null {
  if (operation.status !== "processing" || operation.pendingReason === "manual_review") return null;
  return nextInquiry(operation.inquiries, now, deps.random());
}

/** The data that is read before the transaction. */
type Known = { readonly pricing: Pricing; readonly render: Rendering };

/**
 * Reads the data that the transaction needs before the transaction begins, because transactions that hold one
 * connection and wait for a second can deadlock the pool.
 */
async function readBeforeTransaction(
  deps: OperationDeps,
  { scope, price }: Operation,
): Promise<Known> {
  const account = await deps.accounts.get(scope.account);
  return {
    pricing: pricingIn(account, price.currency),
    render: {
      charge: (shown) => chargeText(shown, null),
      baseUrl: deps.links.baseUrl(),
    },
  };
}
