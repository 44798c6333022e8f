import { invalid, notFound } from "./api-error.ts";
import { timestamp } from "./events.ts";
import { record } from "./ledger.ts";
import { pageOf } from "./paging.ts";
import type { Platform } from "./platform.ts";
import type { Action, Dispute, DisputeStatus, Payment } from "./records.ts";
import type { Context, Reply } from "./request-context.ts";
import { textsOf } from "./request-fields.ts";

/** The time to respond to a dispute. At Checkout.com, it depends on the scheme (`Dispute`, `evidence_required_by`). */
const responseMs = 14 * 24 * 60 * 60 * 1000;

export type DisputeOrder = {
  readonly category: string;
  readonly reasonCode: string;
  readonly amount: number;
};

/** Opens a dispute and debits its amount (checkout.com/docs/risk-management/disputes/disputes-api). */
export function openDispute(platform: Platform, payment: Payment, order: DisputeOrder): Dispute {
  const now = platform.clock.nowMs();
  const dispute = platform.put<Dispute>(platform.disputes, {
    ...order,
    // A dispute's ID has 22 characters (schema `Dispute`, id).
    id: platform.newId("dsp", 22),
    payment: payment.id,
    action: captureOf(platform, payment)?.id ?? "",
    account: payment.account,
    channel: payment.channel,
    currency: payment.currency,
    status: "evidence_required",
    evidence: {},
    evidenceRequiredBy: now + responseMs,
    receivedAt: now,
    updatedAt: now,
  });
  moveMoney(platform, payment, dispute, "Chargeback (ADJM)", -order.amount);
  emit(platform, dispute, "dispute_received");
  emit(platform, dispute, "dispute_evidence_required");
  platform.clock.schedule(dispute.evidenceRequiredBy, () => {
    const due = platform.disputes.get(dispute.id);
    if (due?.status !== "evidence_required") return;
    endDispute(platform, due, "expired");
    platform.dispatchCaused();
  });
  return dispute;
}

/** Disputes appear one minute after the capture (checkout.com/docs/developer-resources/testing/disputes-testing). */
const testDisputeDelayMs = 60_000;

/**
 * Schedules a dispute if the payment has the test values from the page above: the amount 1040 and a card that expires
 * in January 2099.
 */
export function scheduleTestDispute(platform: Platform, { id, amount, card }: Payment): void {
  if (amount !== 1040 || card.expiryMonth !== 1 || card.expiryYear !== 2099) return;
  platform.clock.schedule(platform.clock.nowMs() + testDisputeDelayMs, () => {
    const payment = platform.payment(id);
    const order = { category: "fraudulent", reasonCode: "10.4", amount: payment.captured };
    openDispute(platform, payment, order);
    platform.dispatchCaused();
  });
}

function captureOf(platform: Platform, { id }: Payment): Action | undefined {
  return platform
    .actionsOf(id)
    .find(({ type, state }) => type === "Capture" && state === "approved");
}

/** The movement of a dispute that is won or canceled (docs of breakdown types, category "Chargebacks"). */
const credits: Partial<Record<DisputeStatus, string>> = {
  won: "Chargeback (RPDW)",
  canceled: "Chargeback (CBRV)",
};

/** Ends a dispute. If it is won or canceled, its amount is credited. */
export function endDispute(platform: Platform, dispute: Dispute, status: DisputeStatus): Dispute {
  const ended = change(platform, dispute, { status });
  const breakdownType = credits[status];
  const payment = platform.payment(dispute.payment);
  if (breakdownType) moveMoney(platform, payment, dispute, breakdownType, dispute.amount);
  emit(platform, ended, `dispute_${status}`);
  return ended;
}

function change(platform: Platform, dispute: Dispute, changes: Partial<Dispute>): Dispute {
  const updatedAt = platform.clock.nowMs();
  return platform.put<Dispute>(platform.disputes, { ...dispute, ...changes, updatedAt });
}

function moveMoney(
  platform: Platform,
  payment: Payment,
  dispute: Dispute,
  breakdownType: string,
  amount: number,
): void {
  record(platform, {
    account: payment.account,
    channel: payment.channel,
    payment: payment.id,
    action: dispute.id,
    actionType: "Chargeback",
    breakdownType,
    reference: payment.reference,
    currency: payment.currency,
    requestedAt: dispute.receivedAt,
    amount,
    fees: [],
  });
}

/** Emits an event about a dispute (event type `dispute_evidence_required` and others). */
function emit(platform: Platform, dispute: Dispute, type: string): void {
  const payment = platform.payment(dispute.payment);
  const { id, account, channel } = dispute;
  const isDue = dispute.status === "evidence_required";
  platform.emit({ account, channel, subject: id }, type, {
    id,
    date: timestamp(dispute.updatedAt),
    category: dispute.category,
    amount: dispute.amount,
    currency: dispute.currency,
    reason_code: dispute.reasonCode,
    payment_id: dispute.payment,
    payment_action_id: dispute.action,
    ...(payment.reference !== null && { payment_reference: payment.reference }),
    payment_method: payment.card.scheme,
    client_id: account,
    processing_channel_id: channel,
    entity_id: platform.account(account).entity,
    ...(isDue && { evidence_required_by: timestamp(dispute.evidenceRequiredBy) }),
  });
}

function findDispute({ platform, account }: Context, id: string): Dispute {
  const dispute = platform.disputes.get(id);
  if (!dispute || dispute.account !== account.id) throw notFound();
  return dispute;
}

/** Lists the disputes, with the last updated first: `GET /disputes` (schema `DisputePaged`). */
export function listDisputes(context: Context): Reply {
  const { platform, account, query } = context;
  const { limit, skip } = pageOf(query, 50);
  const isAny = (name: string, value: string) =>
    query.get(name)?.split(",").includes(value) !== false;
  const isSame = (name: string, value: string | null) => (query.get(name) ?? value) === value;
  const found = [...platform.disputes.values()]
    .filter((dispute) => {
      const { updatedAt } = dispute;
      const from = query.get("from");
      const to = query.get("to");
      return (
        dispute.account === account.id &&
        isSame("id", dispute.id) &&
        isSame("payment_id", dispute.payment) &&
        isSame("payment_reference", platform.payment(dispute.payment).reference) &&
        isAny("statuses", dispute.status) &&
        isAny("entity_ids", account.entity) &&
        isAny("processing_channel_ids", dispute.channel) &&
        (from === null || updatedAt >= Date.parse(from)) &&
        (to === null || updatedAt <= Date.parse(to))
      );
    })
    .sort((one, other) => other.updatedAt - one.updatedAt);
  const data = found.slice(skip, skip + limit).map((dispute) => summary(platform, dispute));
  return { status: 200, body: { limit, skip, total_count: found.length, data } };
}

function facts(platform: Platform, dispute: Dispute) {
  return {
    id: dispute.id,
    entity_id: platform.account(dispute.account).entity,
    category: dispute.category,
    status: dispute.status,
    amount: dispute.amount,
    currency: dispute.currency,
    reason_code: dispute.reasonCode,
    evidence_required_by: timestamp(dispute.evidenceRequiredBy),
    received_on: timestamp(dispute.receivedAt),
    last_update: timestamp(dispute.updatedAt),
  };
}

function summary(platform: Platform, dispute: Dispute): object {
  const { reference, card } = platform.payment(dispute.payment);
  return {
    ...facts(platform, dispute),
    payment_id: dispute.payment,
    payment_action_id: dispute.action,
    ...(reference !== null && { payment_reference: reference }),
    payment_method: card.scheme,
    _links: { self: { href: `${platform.baseUrl}/disputes/${dispute.id}` } },
  };
}

/** Returns a dispute: `GET /disputes/{id}` (schema `Dispute`). */
export function retrieveDispute(context: Context, id: string): Reply {
  const { platform } = context;
  const dispute = findDispute(context, id);
  const payment = platform.payment(dispute.payment);
  const url = `${platform.baseUrl}/disputes/${id}`;
  return {
    status: 200,
    body: {
      ...facts(platform, dispute),
      relevant_evidence: ["proof_of_delivery_or_service", "additional_evidence"],
      payment: {
        id: payment.id,
        action_id: dispute.action,
        processing_channel_id: payment.channel,
        amount: payment.amount,
        currency: payment.currency,
        method: payment.card.scheme,
        ...(payment.eci !== null && { eci: payment.eci }),
        has_refund: payment.refunded > 0,
        processed_on: timestamp(payment.requestedAt),
      },
      _links: { self: { href: url }, evidence: { href: `${url}/evidence` } },
    },
  };
}

/** The types of evidence (schema `ProvideEvidenceRequest`). Each has the fields `{type}_file` and `{type}_text`. */
const evidenceTypes = [
  "proof_of_delivery_or_service",
  "proof_of_delivery_or_service_date",
  "invoice_or_receipt",
  "invoice_showing_distinct_transactions",
  "customer_communication",
  "refund_or_cancellation_policy",
  "recurring_transaction_agreement",
  "additional_evidence",
];
const evidenceFields: ReadonlySet<string> = new Set(
  evidenceTypes.flatMap((type) => [`${type}_file`, `${type}_text`]),
);

/** The maximum length of a text of evidence (same schema). */
const maxTextLength = 500;

/** Adds evidence to a dispute without submitting it: `PUT /disputes/{id}/evidence`. */
export function provideEvidence(context: Context, id: string): Reply {
  const { platform, account, body } = context;
  const dispute = openedDispute(context, id);
  const evidence = textsOf(body);
  const names = Object.keys(evidence);
  if (names.length === 0) throw invalid("evidence_required");
  for (const name of names) {
    if (!evidenceFields.has(name)) throw invalid("evidence_type_invalid");
    const value = evidence[name] ?? "";
    const isFile = name.endsWith("_file");
    if (isFile && platform.files.get(value)?.account !== account.id) throw invalid("file_invalid");
    if (!isFile && value.length > maxTextLength) throw invalid("evidence_text_invalid");
  }
  change(platform, dispute, { evidence: { ...dispute.evidence, ...evidence } });
  return { status: 204, body: null };
}

function openedDispute(context: Context, id: string): Dispute {
  const dispute = findDispute(context, id);
  if (dispute.status !== "evidence_required") throw invalid("dispute_status_invalid");
  return dispute;
}

/** Returns the evidence of a dispute: `GET /disputes/{id}/evidence`. */
export function retrieveEvidence(context: Context, id: string): Reply {
  const { evidence } = findDispute(context, id);
  if (Object.keys(evidence).length === 0) throw notFound();
  const url = `${context.platform.baseUrl}/disputes/${id}`;
  const links = { self: { href: `${url}/evidence` }, parent: { href: url } };
  return { status: 200, body: { ...evidence, _links: links } };
}

/** Submits the evidence, which cannot be changed afterwards: `POST /disputes/{id}/evidence`. */
export function submitEvidence(context: Context, id: string): Reply {
  const { platform } = context;
  const dispute = openedDispute(context, id);
  if (Object.keys(dispute.evidence).length === 0) throw invalid("evidence_required");
  const submitted = change(platform, dispute, { status: "evidence_under_review" });
  emit(platform, submitted, "dispute_evidence_submitted");
  return { status: 204, body: null };
}

/** Accepts a dispute as lost: `POST /disputes/{id}/accept`. */
export function acceptDispute(context: Context, id: string): Reply {
  endDispute(context.platform, openedDispute(context, id), "accepted");
  return { status: 204, body: null };
}
