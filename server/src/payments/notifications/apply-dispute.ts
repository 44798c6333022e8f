import { disputeReasonOf } from "../../acquiring/adyen/dispute-reasons.ts";
import type { AdyenNotification, DisputeEvent } from "../../acquiring/adyen/webhooks.ts";
import { caseIdOf } from "../../acquiring/connections/dispute-case-id.ts";
import type { ConnectionId } from "../../core/ids.ts";
import type { Charge } from "../charges/charge.ts";
import { readDisputeOfCase } from "../disputes/dispute.sql.ts";
import { applyDisputeNotification, type DisputeDeps } from "../disputes/record-dispute.ts";

/**
 * The state of a dispute after each event. Null for events that do not change it. Adyen can report a second chargeback
 * after `reversed`.
 */
const stateAfter: Readonly<Record<DisputeEvent["state"], "open" | "won" | "lost" | null>> = {
  open: "open",
  responded: null,
  undefended: null,
  reversed: "won",
  won: "won",
  lost: "lost",
};

export type DisputeResult =
  | { readonly kind: "applied" | "ignored" }
  /** An operator must decide. */
  | { readonly kind: "review"; readonly problem: string };

/** Applies an event of a dispute to a captured charge. */
export async function applyDispute(
  deps: DisputeDeps,
  charge: Charge,
  connection: ConnectionId,
  { acquirerReference, price }: AdyenNotification,
  event: DisputeEvent,
): Promise<DisputeResult> {
  const state = stateAfter[event.state];
  if (state === null) return { kind: "ignored" };
  if (price && price.currency !== charge.price.currency) {
    return review("The dispute's currency differs from the charge's currency.");
  }
  const { scope } = charge;
  const networkCase = caseIdOf(connection, acquirerReference);
  const isInquiry = event.stage === "inquiry";
  const known = await readDisputeOfCase(deps.database.read, scope, networkCase);
  if (known && state === "open") {
    return known.isInquiry && !isInquiry
      ? review("The acquirer turned the request for information into a chargeback.")
      : { kind: "ignored" };
  }
  if (!known && state !== "open")
    return review("The acquirer reported the outcome of a dispute that Florin did not record.");
  if (known && (known.status === "won" || known.status === "lost")) {
    return known.status === state
      ? { kind: "ignored" }
      : review(`The dispute is '${known.status}', but the acquirer reports '${state}'.`);
  }
  await applyDisputeNotification(deps, {
    account: scope.account,
    livemode: scope.livemode,
    networkCase,
    charge: charge.id,
    reason: disputeReasonOf(event.reasonCode),
    isInquiry,
    amountMinor: price?.amountMinor ?? null,
    evidenceDueAt: event.defensePeriodEndsAt,
    state,
  });
  return { kind: "applied" };
}

function review(problem: string): DisputeResult {
  return { kind: "review", problem };
}
