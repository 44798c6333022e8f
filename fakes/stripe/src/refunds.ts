import { objectOf, textOf, textsOf } from "./form.ts";
import { amountOf, findIntent } from "./payment-intents.ts";
import type { Platform } from "./platform.ts";
import type { Charge, Refund } from "./records.ts";
import { renderCharge, renderRefund } from "./render.ts";
import type { Context } from "./request-context.ts";
import { invalid, missing, unexpectedState } from "./stripe-error.ts";

/** The time after which a pending refund succeeds, and a refund of the failing test card fails. */
const asynchronousMs = 1_000;

export function createRefund(context: Context, failsAfterMs: number | null): object {
  const { platform, account, params } = context;
  const id = textOf(params, "payment_intent");
  if (id === null) throw missing("payment_intent");
  const intent = findIntent(context, id);
  const charge = platform.charges.get(intent.latestCharge ?? "");
  if (!charge?.captured) {
    throw unexpectedState(
      "This PaymentIntent does not have a successful charge to refund.",
      "payment_intent_unexpected_state",
    );
  }
  const refundable = charge.amountCaptured - charge.amountRefunded;
  if (charge.disputed) throw unexpectedState("The charge is disputed.", "charge_disputed");
  if (refundable === 0) {
    throw unexpectedState(
      `Charge ${charge.id} has already been refunded.`,
      "charge_already_refunded",
    );
  }
  const amount = amountOf(params, "amount") ?? refundable;
  if (amount > refundable) {
    throw invalid(
      "Refund amount is greater than unrefunded amount on charge.",
      "amount",
      "amount_too_large",
    );
  }
  const isPending = charge.card.behavior.refund === "pending";
  const refundId = platform.newId("re");
  const balanceTransaction = platform.move({
    account: account.id,
    type: "refund",
    reportingCategory: "refund",
    amount: -amount,
    fee: 0,
    currency: charge.currency,
    source: refundId,
  });
  const refund = platform.put<Refund>(platform.refunds, {
    id: refundId,
    charge: charge.id,
    intent: intent.id,
    account: account.id,
    amount,
    currency: charge.currency,
    metadata: textsOf(objectOf(params, "metadata")),
    created: platform.nowSeconds(),
    status: isPending ? "pending" : "succeeded",
    failureReason: null,
    balanceTransaction,
    failureBalanceTransaction: null,
  });
  const refunded = platform.put<Charge>(platform.charges, {
    ...charge,
    amountRefunded: charge.amountRefunded + amount,
  });
  platform.emit(account.id, "charge.refunded", renderCharge(refunded, account.livemode), null);
  platform.emit(account.id, "refund.created", renderRefund(refund), context.eventFault);
  const fails =
    failsAfterMs ?? (charge.card.behavior.refund === "fails_later" ? asynchronousMs : null);
  const afterMs = fails ?? (isPending ? asynchronousMs : null);
  if (afterMs !== null) {
    platform.clock.schedule(platform.clock.nowMs() + afterMs, () => {
      if (fails !== null) failRefund(platform, refundId);
      else completeRefund(platform, refundId);
    });
  }
  return renderRefund(refund);
}

function completeRefund(platform: Platform, id: string): void {
  const refund = platform.refunds.get(id);
  if (refund?.status !== "pending") return;
  const succeeded = platform.put<Refund>(platform.refunds, { ...refund, status: "succeeded" });
  platform.emit(refund.account, "refund.updated", renderRefund(succeeded), null);
  platform.dispatchCaused();
}

/** Returns the money of a refund to the account, because the cardholder's bank rejected it. */
export function failRefund(platform: Platform, id: string): boolean {
  const refund = platform.refunds.get(id);
  if (!refund || refund.status === "failed") return false;
  const failureBalanceTransaction = platform.move({
    account: refund.account,
    type: "refund_failure",
    reportingCategory: "refund_failure",
    amount: refund.amount,
    fee: 0,
    currency: refund.currency,
    source: id,
  });
  const failed = platform.put<Refund>(platform.refunds, {
    ...refund,
    status: "failed",
    failureReason: "expired_or_canceled_card",
    failureBalanceTransaction,
  });
  const charge = platform.charges.get(refund.charge) as Charge;
  platform.put<Charge>(platform.charges, {
    ...charge,
    amountRefunded: charge.amountRefunded - refund.amount,
  });
  platform.emit(refund.account, "refund.failed", renderRefund(failed), null);
  platform.dispatchCaused();
  return true;
}

export function listRefunds(context: Context): object {
  const { platform, account, params } = context;
  const intent = textOf(params, "payment_intent");
  const data = [...platform.refunds.values()]
    .filter((refund) => refund.account === account.id && refund.intent === intent)
    .reverse();
  return { object: "list", url: "/v1/refunds", ...pageOf(data, context, renderRefund) };
}

/** Returns one page of a list, whose newest element is first (docs.stripe.com/api/pagination). */
export function pageOf<Item extends { readonly id: string }>(
  all: readonly Item[],
  { params }: Pick<Context, "params">,
  render: (item: Item) => object,
): { readonly has_more: boolean; readonly data: readonly object[] } {
  const limit = Number(textOf(params, "limit") ?? 10);
  if (!(limit >= 1 && limit <= 100)) throw invalid("The limit must be from 1 to 100.", "limit");
  const after = textOf(params, "starting_after");
  const from = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
  const page = all.slice(from, from + limit);
  return { has_more: from + limit < all.length, data: page.map(render) };
}
