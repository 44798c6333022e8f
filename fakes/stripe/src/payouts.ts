import { objectOf, textOf, textsOf } from "./form.ts";
import type { Platform } from "./platform.ts";
import type { Account, BalanceTransaction, Payout } from "./records.ts";
import { pageOf } from "./refunds.ts";
import {
  renderBalanceTransaction,
  renderCharge,
  renderDispute,
  renderPayout,
  renderRefund,
} from "./render.ts";
import type { Context } from "./request-context.ts";
import { noSuch } from "./stripe-error.ts";

/** Pays out the balance of the account in each currency, as Stripe's automatic payouts do. */
export function payOut(platform: Platform, account: Account): readonly Payout[] {
  const open = [...platform.balanceTransactions.values()].filter(
    (one) => one.account === account.id && one.payout === null,
  );
  const payouts: Payout[] = [];
  for (const [currency, transactions] of Map.groupBy(open, (one) => one.currency)) {
    const amount = transactions.reduce((sum, { net }) => sum + net, 0);
    if (amount <= 0) continue;
    const id = platform.newId("po");
    const balanceTransaction = platform.move({
      account: account.id,
      type: "payout",
      reportingCategory: "payout",
      amount: -amount,
      fee: 0,
      currency,
      source: id,
    });
    for (const one of [...transactions.map((each) => each.id), balanceTransaction]) {
      const transaction = platform.balanceTransactions.get(one) as BalanceTransaction;
      platform.put<BalanceTransaction>(platform.balanceTransactions, {
        ...transaction,
        payout: id,
      });
    }
    const created = platform.nowSeconds();
    const payout = platform.put<Payout>(platform.payouts, {
      id,
      account: account.id,
      amount,
      currency,
      created,
      status: "paid",
      balanceTransaction,
    });
    payouts.push(payout);
    const fault = platform.takeFault("payouts", ["duplicate_event", "lost_event"], account.id);
    const object = renderPayout(payout, account.livemode);
    platform.emit(account.id, "payout.paid", object, null);
    platform.emit(account.id, "payout.reconciliation_completed", object, fault?.fault ?? null);
  }
  return payouts;
}

/** Returns the money of a payout to the account, because the bank rejected it (docs.stripe.com/payouts). */
export function failPayout(platform: Platform, id: string): boolean {
  const payout = platform.payouts.get(id);
  if (payout?.status !== "paid") return false;
  const { account, amount, currency } = payout;
  platform.move({
    account,
    type: "payout_failure",
    reportingCategory: "payout_reversal",
    amount,
    fee: 0,
    currency,
    source: id,
  });
  const failed = platform.put<Payout>(platform.payouts, { ...payout, status: "failed" });
  const { livemode } = platform.account(account);
  platform.emit(account, "payout.failed", renderPayout(failed, livemode), null);
  platform.dispatchCaused();
  return true;
}

export function retrievePayout({ platform, account }: Context, id: string): object {
  const payout = platform.payouts.get(id);
  if (!payout || payout.account !== account.id) throw noSuch("payout", id);
  return renderPayout(payout, account.livemode);
}

/** Lists the movements of a payout (docs.stripe.com/payouts/reconciliation). */
export function listBalanceTransactions(context: Context): object {
  const { platform, account, params } = context;
  const payout = textOf(params, "payout");
  const all = [...platform.balanceTransactions.values()]
    .filter((one) => one.account === account.id && (payout === null || one.payout === payout))
    .reverse();
  const expanded = new Set(Object.values(textsOf(objectOf(params, "expand"))));
  const sourceOf = ({ source }: BalanceTransaction) =>
    expanded.has("data.source") || expanded.has("data.source.charge")
      ? sourceObject(platform, account, source, expanded.has("data.source.charge"))
      : source;
  return {
    object: "list",
    url: "/v1/balance_transactions",
    ...pageOf(all, context, (one) => renderBalanceTransaction(one, sourceOf(one))),
  };
}

function sourceObject(
  platform: Platform,
  { livemode }: Account,
  id: string,
  expandsCharge: boolean,
): object | string {
  const charge = platform.charges.get(id);
  if (charge) return renderCharge(charge, livemode);
  const chargeOf = (chargeId: string) => {
    const found = platform.charges.get(chargeId);
    return found && expandsCharge ? renderCharge(found, livemode) : chargeId;
  };
  const refund = platform.refunds.get(id);
  if (refund) return { ...renderRefund(refund), charge: chargeOf(refund.charge) };
  const dispute = platform.disputes.get(id);
  if (dispute) return { ...renderDispute(dispute, livemode), charge: chargeOf(dispute.charge) };
  const payout = platform.payouts.get(id);
  return payout ? renderPayout(payout, livemode) : id;
}
