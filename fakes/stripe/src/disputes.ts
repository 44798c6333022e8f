import { objectOf, textOf, textsOf } from "./form.ts";
import type { Platform } from "./platform.ts";
import type { Account, Charge, Dispute, DisputeStatus } from "./records.ts";
import { renderDispute } from "./render.ts";
import type { Context } from "./request-context.ts";
import { noSuch, unexpectedState } from "./stripe-error.ts";

/** The fee of a dispute in minor units (stripe.com/pricing). */
const disputeFee = 1_500;

/** The time to respond to a dispute: between 7 and 21 days (docs.stripe.com/disputes/how-disputes-work). */
const responseSeconds = 14 * 24 * 60 * 60;

export type DisputeOrder = {
  /** An inquiry withdraws no money. */
  readonly kind: "chargeback" | "inquiry";
  readonly reason: string;
  readonly amount: number;
  readonly networkReasonCode: string | null;
};

type Opening = { readonly platform: Platform; readonly account: Account };

export function openDispute(opening: Opening, charge: Charge, order: DisputeOrder): Dispute {
  const { platform, account } = opening;
  const id = platform.newId("du");
  const isInquiry = order.kind === "inquiry";
  const opened: Dispute = {
    id,
    charge: charge.id,
    intent: charge.intent,
    account: account.id,
    amount: order.amount,
    currency: charge.currency,
    reason: order.reason,
    networkReasonCode: order.networkReasonCode,
    status: isInquiry ? "warning_needs_response" : "needs_response",
    created: platform.nowSeconds(),
    dueBy: platform.nowSeconds() + responseSeconds,
    evidence: {},
    balanceTransactions: isInquiry ? [] : [withdraw(platform, id, charge, order.amount)],
  };
  const dispute = platform.put(platform.disputes, opened);
  platform.put<Charge>(platform.charges, { ...charge, disputed: true });
  emit(opening, "charge.dispute.created", dispute);
  if (!isInquiry) emit(opening, "charge.dispute.funds_withdrawn", dispute);
  return dispute;
}

/** Turns an inquiry into a chargeback, which keeps the ID (docs.stripe.com/disputes/how-disputes-work). */
export function escalate(opening: Opening, inquiry: Dispute): Dispute {
  const { platform } = opening;
  const charge = platform.charges.get(inquiry.charge) as Charge;
  const dispute = platform.put<Dispute>(platform.disputes, {
    ...inquiry,
    status: "needs_response",
    dueBy: platform.nowSeconds() + responseSeconds,
    balanceTransactions: [withdraw(platform, inquiry.id, charge, inquiry.amount)],
  });
  emit(opening, "charge.dispute.updated", dispute);
  emit(opening, "charge.dispute.funds_withdrawn", dispute);
  return dispute;
}

function withdraw(platform: Platform, source: string, charge: Charge, amount: number): string {
  return platform.move({
    account: charge.account,
    type: "adjustment",
    reportingCategory: "dispute",
    amount: -amount,
    fee: disputeFee,
    currency: charge.currency,
    source,
  });
}

function emit({ platform, account }: Opening, type: string, dispute: Dispute): void {
  platform.emit(account.id, type, renderDispute(dispute, account.livemode), null);
}

function findDispute({ platform, account }: Context, id: string): Dispute {
  const dispute = platform.disputes.get(id);
  if (!dispute || dispute.account !== account.id) throw noSuch("dispute", id);
  return dispute;
}

export function retrieveDispute(context: Context, id: string): object {
  return renderDispute(findDispute(context, id), context.account.livemode);
}

const reviewed: Partial<Record<DisputeStatus, DisputeStatus>> = {
  needs_response: "under_review",
  warning_needs_response: "warning_under_review",
};

/** Adds evidence and, unless `submit` is false, submits it. */
export function updateDispute(context: Context, id: string): object {
  const { platform, account, params } = context;
  const dispute = findDispute(context, id);
  const next = reviewed[dispute.status];
  if (!next) throw unexpectedState("This dispute is already closed.", "dispute_not_open");
  const evidence = textsOf(objectOf(params, "evidence"));
  for (const [name, file] of Object.entries(evidence)) {
    const isFile = /(file|receipt|documentation|policy|signature|communication)$/.test(name);
    if (isFile && !platform.files.has(file)) throw noSuch("file", file, `evidence[${name}]`);
  }
  const updated = platform.put<Dispute>(platform.disputes, {
    ...dispute,
    evidence: { ...dispute.evidence, ...evidence },
    status: textOf(params, "submit") === "false" ? dispute.status : next,
  });
  emit(context, "charge.dispute.updated", updated);
  return renderDispute(updated, account.livemode);
}

/** Accepts a dispute as lost. */
export function closeDispute(context: Context, id: string): object {
  const dispute = findDispute(context, id);
  if (dispute.status === "won" || dispute.status === "lost") {
    throw unexpectedState("This dispute is already closed.", "dispute_not_open");
  }
  const status = dispute.status.startsWith("warning") ? "warning_closed" : "lost";
  return renderDispute(end(context, dispute, status), context.account.livemode);
}

/** Ends a dispute. A dispute that is won returns its amount, but not its fee. */
export function end(opening: Opening, dispute: Dispute, status: DisputeStatus): Dispute {
  const { platform } = opening;
  const charge = platform.charges.get(dispute.charge) as Charge;
  const isReinstated = status === "won";
  const closed = platform.put<Dispute>(platform.disputes, {
    ...dispute,
    status,
    balanceTransactions: isReinstated
      ? [...dispute.balanceTransactions, reinstate(platform, dispute)]
      : dispute.balanceTransactions,
  });
  if (status !== "lost") platform.put<Charge>(platform.charges, { ...charge, disputed: false });
  if (isReinstated) emit(opening, "charge.dispute.funds_reinstated", closed);
  emit(opening, "charge.dispute.closed", closed);
  return closed;
}

function reinstate(platform: Platform, { id, account, amount, currency }: Dispute): string {
  return platform.move({
    account,
    type: "adjustment",
    reportingCategory: "dispute_reversal",
    amount,
    fee: 0,
    currency,
    source: id,
  });
}
