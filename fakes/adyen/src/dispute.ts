import type { Amount } from "./amount.ts";

export type DisputeStage =
  | "request_for_information"
  | "notification_of_chargeback"
  | "chargeback"
  | "second_chargeback";

/** The values of `disputeStatus` in notifications. */
export type DisputeStatus =
  | "Unresponded"
  | "Responded"
  | "Expired"
  | "Undefended"
  | "Accepted"
  | "Pending"
  | "Lost"
  | "Won";

export type SuppliedDocument = {
  readonly typeCode: string;
  readonly contentType: string;
  readonly bytes: number;
};

export type Dispute = {
  readonly pspReference: string;
  readonly paymentPspReference: string;
  readonly merchantAccount: string;
  readonly amount: Amount;
  readonly reasonCode: string;
  readonly stage: DisputeStage;
  readonly status: DisputeStatus;
  readonly openedAt: number;
  readonly defensePeriodEndsAt: number;
  /** Null unless the dispute was defended. */
  readonly defenseReasonCode: string | null;
  readonly documents: readonly SuppliedDocument[];
};
