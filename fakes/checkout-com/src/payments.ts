import { invalid } from "./api-error.ts";
import { findPayment } from "./find-payment.ts";
import { pageOf } from "./paging.ts";
import { paymentAction, paymentDetails } from "./render.ts";
import type { Context, Reply } from "./request-context.ts";

/** Returns a payment: `GET /payments/{id}`. */
export function retrievePayment(context: Context, id: string): Reply {
  return { status: 200, body: paymentDetails(context.platform, findPayment(context, id)) };
}

/**
 * Lists the payments with a reference, with the newest first
 * (checkout.com/docs/payments/manage-payments/get-a-list-of-payments).
 */
export function listPayments(context: Context): Reply {
  const { platform, account, query } = context;
  const reference = query.get("reference");
  if (!reference) throw invalid("reference_required");
  const { limit, skip } = pageOf(query, 10);
  const found = platform.paymentsWith(account.id, reference);
  const data = found.slice(skip, skip + limit).map((payment) => paymentDetails(platform, payment));
  return { status: 200, body: { limit, skip, total_count: found.length, data } };
}

/** Lists the processed actions of a payment, with the last processed first (`GET /payments/{id}/actions`). */
export function listActions(context: Context, id: string): Reply {
  const { platform } = context;
  const payment = findPayment(context, id);
  const actions = platform
    .actionsOf(payment.id)
    .filter(({ state }) => state !== "pending")
    .reverse()
    .sort((one, other) => (other.processedAt ?? 0) - (one.processedAt ?? 0));
  return { status: 200, body: actions.map((action) => paymentAction(payment, action)) };
}
