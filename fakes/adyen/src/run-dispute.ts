import {
  type Dispute,
  type DisputeStage,
  defenseReasons,
  isDefendable,
  reasonNames,
} from "./dispute.ts";
import { notificationFaults } from "./faults.ts";
import type { EventCode } from "./notification.ts";
import { eventDate } from "./notification-body.ts";
import type { Payment } from "./payment.ts";
import { chargeBack, reverseChargeback } from "./payment-movements.ts";
import type { Platform } from "./platform.ts";
import { newPspReference } from "./psp-reference.ts";
import { recordEvent } from "./record-event.ts";

const dayMs = 24 * 60 * 60 * 1000;

export type NewDispute = {
  readonly payment: Payment;
  readonly stage: DisputeStage;
  readonly value: number;
  /** The reason code, or null for the usual code of the card network. */
  readonly reasonCode: string | null;
  readonly defenseDays: number;
  /** The codes of the defense reasons that apply. Absent if all of them apply. */
  readonly applicableReasons?: readonly string[];
};

/** The event of each stage. */
const openingEvents: Readonly<Record<DisputeStage, EventCode>> = {
  request_for_information: "REQUEST_FOR_INFORMATION",
  notification_of_chargeback: "NOTIFICATION_OF_CHARGEBACK",
  chargeback: "CHARGEBACK",
  second_chargeback: "SECOND_CHARGEBACK",
};

/** Opens a dispute. Only a chargeback deducts the amount. */
export function openDispute(
  platform: Platform,
  { payment, stage, value, reasonCode, defenseDays, applicableReasons }: NewDispute,
): { dispute: Dispute; notifications: readonly string[] } {
  const now = platform.clock.nowMs();
  const opened: Dispute = {
    pspReference: newPspReference(),
    paymentPspReference: payment.pspReference,
    merchantAccount: payment.merchantAccount,
    amount: { currency: payment.amount.currency, value },
    reasonCode: reasonCode ?? (payment.card.brand === "mc" ? "4837" : "10.4"),
    stage,
    status: "Unresponded",
    isDebited: false,
    openedAt: now,
    defensePeriodEndsAt: now + defenseDays * dayMs,
    hasDefensePeriodEnded: false,
    defenseReasonCode: null,
    documents: [],
    applicableReasons: applicableReasons ?? defenseReasons.map(({ code }) => code),
  };
  const dispute = stage === "chargeback" ? debit(platform, opened) : opened;
  platform.state.put("disputes", dispute.pspReference, dispute);
  scheduleDefensePeriodEnd(platform, dispute);
  return { dispute, notifications: notify(platform, dispute, openingEvents[stage]) };
}

/** The events that the issuer and the card network cause after the opening. */
export const laterEvents = [
  "CHARGEBACK",
  "CHARGEBACK_REVERSED",
  "SECOND_CHARGEBACK",
  "PREARBITRATION_WON",
  "PREARBITRATION_LOST",
  "INFORMATION_SUPPLIED",
  "ISSUER_RESPONSE_TIMEFRAME_EXPIRED",
] as const;

export type LaterEvent = (typeof laterEvents)[number];

/** Returns the reason why the event cannot happen in the current state of the dispute. Returns null if it can. */
export function problemOf(dispute: Dispute, event: LaterEvent): string | null {
  const isChargeback = event === "CHARGEBACK" || event === "SECOND_CHARGEBACK";
  if (isChargeback && dispute.isDebited) return "The amount is already deducted.";
  if (event === "CHARGEBACK_REVERSED" && !dispute.isDebited) return "No amount is deducted.";
  return null;
}

/** Applies an event to the dispute and returns its notifications. */
export function applyDisputeEvent(
  platform: Platform,
  dispute: Dispute,
  event: LaterEvent,
): readonly string[] {
  const after = afterEvent(platform, dispute, event);
  platform.state.put("disputes", after.pspReference, after);
  return notify(platform, after, event);
}

function afterEvent(platform: Platform, dispute: Dispute, event: LaterEvent): Dispute {
  switch (event) {
    case "CHARGEBACK":
      return debit(platform, { ...dispute, stage: "chargeback" });
    case "SECOND_CHARGEBACK":
      return debit(platform, { ...dispute, stage: "second_chargeback", status: "Lost" });
    case "CHARGEBACK_REVERSED":
      return credit(platform, { ...dispute, status: "Pending" });
    case "INFORMATION_SUPPLIED":
      return dispute;
    case "PREARBITRATION_LOST":
      return { ...dispute, status: "Lost" };
    case "PREARBITRATION_WON":
    case "ISSUER_RESPONSE_TIMEFRAME_EXPIRED":
      return { ...dispute, status: "Won" };
  }
}

/** Supplies the defense to the issuer. A defended chargeback is reversed until the issuer decides. */
export function defend(platform: Platform, dispute: Dispute, reasonCode: string): string[] {
  const isInquiry = dispute.stage === "request_for_information";
  const defended: Dispute = {
    ...dispute,
    status: isInquiry ? "Responded" : "Pending",
    defenseReasonCode: reasonCode,
  };
  platform.state.put("disputes", dispute.pspReference, defended);
  const supplied = notify(platform, defended, "INFORMATION_SUPPLIED");
  if (!defended.isDebited) return supplied;
  return [...supplied, ...applyDisputeEvent(platform, defended, "CHARGEBACK_REVERSED")];
}

export function scheduleDefensePeriodEnd(platform: Platform, dispute: Dispute): void {
  if (dispute.hasDefensePeriodEnded) return;
  platform.clock.schedule(dispute.defensePeriodEndsAt, () => {
    const notifications = endDefensePeriod(platform, dispute.pspReference);
    platform.state.commit();
    platform.dispatch(notifications);
  });
}

/** Ends the defense period of a dispute that was not defended. The merchant is liable from then on. */
function endDefensePeriod(platform: Platform, pspReference: string): readonly string[] {
  const dispute = platform.state.disputes.get(pspReference);
  if (!dispute || dispute.hasDefensePeriodEnded) return [];
  const isOpen = dispute.status === "Unresponded";
  const isInquiry = dispute.stage === "request_for_information";
  const ended: Dispute = {
    ...dispute,
    hasDefensePeriodEnded: true,
    ...(isOpen ? { status: isInquiry ? "Expired" : "Lost" } : {}),
  };
  platform.state.put("disputes", pspReference, ended);
  if (!isOpen && dispute.status !== "Accepted") return [];
  return notify(platform, ended, "DISPUTE_DEFENSE_PERIOD_ENDED");
}

function debit(platform: Platform, dispute: Dispute): Dispute {
  const payment = paymentOf(platform, dispute);
  const kind = dispute.stage === "second_chargeback" ? "second_chargeback" : "chargeback";
  const charged = chargeBack(platform, payment, kind, dispute.amount.value, dispute);
  platform.state.put("payments", payment.pspReference, charged);
  return { ...dispute, isDebited: true };
}

function credit(platform: Platform, dispute: Dispute): Dispute {
  const payment = paymentOf(platform, dispute);
  const reversed = reverseChargeback(platform, payment, dispute.amount.value, dispute);
  platform.state.put("payments", payment.pspReference, reversed);
  return { ...dispute, isDebited: false };
}

function paymentOf(platform: Platform, dispute: Dispute): Payment {
  return platform.state.payments.get(dispute.paymentPspReference) as Payment;
}

function notify(platform: Platform, dispute: Dispute, eventCode: EventCode): string[] {
  const payment = paymentOf(platform, dispute);
  const { brand } = payment.card;
  const { amount, reasonCode } = dispute;
  const codes =
    dispute.stage === "request_for_information"
      ? { rfiReasonCode: reasonCode, rfiSchemeCode: brand }
      : { chargebackReasonCode: reasonCode, chargebackSchemeCode: brand };
  const canDefend = isDefendable(dispute, platform.clock.nowMs());
  return recordEvent(
    platform,
    {
      merchantAccount: dispute.merchantAccount,
      eventCode,
      pspReference: dispute.pspReference,
      originalReference: payment.pspReference,
      merchantReference: payment.reference,
      amount,
      success: true,
      reason: reasonNames[reasonCode] ?? "Dispute",
      paymentMethod: brand,
      operations: null,
      additionalData: {
        ...codes,
        ...(canDefend ? { defensePeriodEndsAt: eventDate(dispute.defensePeriodEndsAt) } : {}),
        ...(eventCode === "ISSUER_RESPONSE_TIMEFRAME_EXPIRED"
          ? {}
          : {
              defendable: String(canDefend),
              grossCurrency: amount.currency,
              grossValue: String(amount.value),
            }),
        modificationMerchantReferences: "",
        disputeStatus: dispute.status,
      },
    },
    platform.takeFault("disputes", notificationFaults, dispute.merchantAccount)?.fault ?? null,
  );
}

/** The time from the capture to the test dispute, and between the events of the dispute. */
const testDisputeMs = 60 * 60 * 1000;

const testDefenseDays = 14;

/** Schedules the dispute that the cardholder's name requests as a test instruction. Does nothing before the capture. */
export function scheduleTestDispute(platform: Platform, payment: Payment): void {
  const { dispute: instruction } = payment.instruction;
  if (instruction === null || payment.capturedValue === 0) return;
  const { clock, state } = platform;
  const run = () => {
    const current = state.payments.get(payment.pspReference);
    if (!current || current.capturedValue === 0) return;
    const next = nextTestEvent(platform, current);
    if (next === null) return;
    const notifications =
      next.event === "CHARGEBACK"
        ? openDispute(platform, {
            payment: current,
            stage: "chargeback",
            value: current.capturedValue,
            reasonCode: instruction.reasonCode,
            defenseDays: testDefenseDays,
          }).notifications
        : applyDisputeEvent(platform, next.dispute, next.event);
    state.commit();
    platform.dispatch(notifications);
    clock.schedule(clock.nowMs() + testDisputeMs, run);
  };
  clock.schedule(clock.nowMs() + testDisputeMs, run);
}

type NextTestEvent =
  | { readonly event: "CHARGEBACK" }
  | { readonly event: "CHARGEBACK_REVERSED" | "SECOND_CHARGEBACK"; readonly dispute: Dispute };

function nextTestEvent({ state }: Platform, payment: Payment): NextTestEvent | null {
  const dispute = [...state.disputes.values()].find(
    ({ paymentPspReference }) => paymentPspReference === payment.pspReference,
  );
  if (!dispute) return { event: "CHARGEBACK" };
  const { followedBy } = payment.instruction.dispute ?? { followedBy: null };
  if (followedBy === null || dispute.stage === "second_chargeback") return null;
  if (dispute.isDebited) return { event: "CHARGEBACK_REVERSED", dispute };
  return followedBy === "second_chargeback" ? { event: "SECOND_CHARGEBACK", dispute } : null;
}
