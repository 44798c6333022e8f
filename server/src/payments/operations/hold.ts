import { declineCodes } from "@florin/contract/declines.ts";
import { errorCodes } from "@florin/contract/errors.ts";
import type { EventType } from "@florin/contract/event.ts";
import { ApiError, renderError } from "../../core/api-error.ts";
import { newId } from "../../core/ids.ts";
import type { ApiResponse } from "../../platform/http/route.ts";
import { type NewEvent, renderEvent } from "../../webhooks/events/event.ts";
import { type AuthorizedCharge, balanceTransactionIdOf, type Charge } from "../charges/charge.ts";
import { chargeTransfers } from "../ledger/posting-rules.ts";
import type { Operation, OperationContext, OperationRules, Rendering } from "./operation.ts";

/** The rules of a capture, full or partial. A partial capture releases the rest of the authorization. */
export const captureRules: OperationRules = {
  prepare(charge, amountMinor, now) {
    const held = requireHeld(charge, "captured");
    if (held.captureBefore <= now) throw tooLate(held);
    const requestedMinor = amountMinor ?? held.price.amountMinor;
    if (requestedMinor > held.price.amountMinor) throw tooMuch(held, requestedMinor);
    return { amountMinor: requestedMinor, charge: null };
  },
  applyOutcome(before, after, context) {
    if (after.status !== "succeeded")
      return { ...nothingMoved, charge: waiting(context.charge, after) };
    const { charge, now, pricing } = context;
    const captured = after.price.amountMinor;
    const paid: Charge = {
      ...charge,
      version: charge.version + 1,
      status: "succeeded",
      finalizedAt: now,
      capturedMinor: captured,
      refundedMinor: 0,
      disputedMinor: 0,
    };
    return {
      charge: paid,
      entry: {
        // The ID is derived from the charge ID, so that the payment cannot be posted twice.
        id: balanceTransactionIdOf(charge.id),
        currency: charge.price.currency,
        source: charge.id,
        transfers: chargeTransfers(captured, pricing),
      },
      // Emits `payment.succeeded` as well, because merchants that ship on payment listen to that event only.
      events: [
        announce("payment.captured", paid, before, context),
        announce("payment.succeeded", paid, before, context),
      ],
    };
  },
  response: respondWithCharge,
};

/** The rules of a void. */
export const voidRules: OperationRules = {
  prepare(charge) {
    return { amountMinor: requireHeld(charge, "canceled").price.amountMinor, charge: null };
  },
  applyOutcome(before, after, context) {
    if (after.status !== "succeeded")
      return { ...nothingMoved, charge: waiting(context.charge, after) };
    const { charge, now } = context;
    const canceled: Charge = {
      ...charge,
      version: charge.version + 1,
      status: "canceled",
      finalizedAt: now,
    };
    return {
      charge: canceled,
      entry: null,
      events: [announce("payment.canceled", canceled, before, context)],
    };
  },
  response: respondWithCharge,
};

const nothingMoved = { entry: null, events: [] } as const;

/**
 * Copies the pending reason of an operation in progress to the charge. After a failed operation, clears the charge's
 * pending reason.
 */
function waiting(charge: Charge, operation: Operation): Charge {
  const pendingReason = operation.status === "processing" ? operation.pendingReason : null;
  if (charge.status !== "authorized" || charge.pendingReason === pendingReason) return charge;
  return { ...charge, version: charge.version + 1, pendingReason };
}

function announce(
  type: EventType,
  charge: Charge,
  { request }: Operation,
  context: OperationContext,
): NewEvent {
  const { now, render } = context;
  return renderEvent({
    id: newId("evt", now),
    type,
    scope: charge.scope,
    cause: request,
    objectId: charge.id,
    object: render.charge(charge),
  });
}

/**
 * Returns 402 if the acquirer rejected the operation. Otherwise returns 200 with the charge, even if the outcome is
 * unknown.
 */
function respondWithCharge(operation: Operation, charge: Charge, render: Rendering): ApiResponse {
  if (operation.status !== "failed") return { status: 200, body: render.charge(charge) };
  const { failureCode, kind, request } = operation;
  const { meaning, adviceCode } = declineCodes[failureCode];
  const [noun, nextStep] =
    kind === "capture"
      ? ["capture", "Try the capture again with a new request, or cancel the charge."]
      : ["cancellation", "Try the cancellation again with a new request."];
  const error = new ApiError(
    "card_declined",
    `The acquirer rejected the ${noun} of the charge '${charge.id}': ${meaning} The charge is still '${charge.status}'. ${nextStep}`,
    { declineCode: failureCode, adviceCode, charge: charge.id },
  );
  const body = renderError(error, request?.id ?? null, render.baseUrl);
  return { status: errorCodes[error.code].status, body };
}

function requireHeld(charge: Charge, becoming: "captured" | "canceled"): AuthorizedCharge {
  if (charge.status === "authorized") return charge;
  const needed = becoming === "canceled" ? "'authorized' or 'requires_action'" : "'authorized'";
  throw new ApiError(
    "status_transition_invalid",
    `The charge '${charge.id}' is '${charge.status}'. It must be ${needed} to be ${becoming}.`,
    { param: "id", charge: charge.id },
  );
}

function tooLate({ id, captureBefore }: AuthorizedCharge): ApiError {
  return new ApiError(
    "capture_charge_authorization_expired",
    `The authorization of the charge '${id}' expired at ${captureBefore.toISOString()}. Create a new charge.`,
    { param: "id", charge: id },
  );
}

function tooMuch({ id, price }: AuthorizedCharge, requestedMinor: number): ApiError {
  return new ApiError(
    "amount_exceeds_capturable",
    `\`amount\` must be at most ${price.amountMinor}, the authorized amount of the charge '${id}'. Got ${requestedMinor}.`,
    { param: "amount", charge: id },
  );
}
