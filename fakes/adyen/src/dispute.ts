import type { Amount } from "./amount.ts";

export const disputeStages = [
  "request_for_information",
  "notification_of_chargeback",
  "chargeback",
] as const;

export type DisputeStage = (typeof disputeStages)[number] | "second_chargeback";

/** The values of `disputeStatus` in notifications. */
export type DisputeStatus =
  | "Unresponded"
  | "Responded"
  | "Expired"
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
  /** All events of the dispute have this reference. */
  readonly pspReference: string;
  readonly paymentPspReference: string;
  readonly merchantAccount: string;
  readonly amount: Amount;
  readonly reasonCode: string;
  readonly stage: DisputeStage;
  readonly status: DisputeStatus;
  /** True while the amount is deducted from the merchant. */
  readonly isDebited: boolean;
  readonly openedAt: number;
  readonly defensePeriodEndsAt: number;
  readonly hasDefensePeriodEnded: boolean;
  /** Null unless the dispute was defended. */
  readonly defenseReasonCode: string | null;
  readonly documents: readonly SuppliedDocument[];
  /** The codes of the defense reasons that apply to this dispute. */
  readonly applicableReasons: readonly string[];
};

/**
 * The defense reasons and documents from the example in DisputeService-v30, and further reasons, so that each
 * requirement level occurs. All reasons apply to a dispute unless the control API selects some.
 */
export const defenseReasons: readonly {
  readonly code: string;
  readonly documents: Readonly<Record<string, "Required" | "OneOrMore" | "Optional">>;
}[] = [
  {
    code: "GoodsNotReturned",
    documents: { TIDorInvoice: "Optional", GoodsNotReturned: "Required" },
  },
  {
    code: "GoodsRepairedOrReplaced",
    documents: { TIDorInvoice: "Optional", GoodsRepairedOrReplaced: "Required" },
  },
  {
    code: "GoodsWereAsDescribed",
    documents: { GoodsWereAsDescribed: "Required", TIDorInvoice: "Required" },
  },
  {
    code: "SupplyDefenseMaterial",
    documents: { TIDorInvoice: "Optional", DefenseMaterial: "Required" },
  },
  {
    code: "CompellingEvidence",
    documents: { CardholderIdentification: "OneOrMore", ProofOfDelivery: "OneOrMore" },
  },
  { code: "ShippedToAVS", documents: { ShippedToAVS: "Required" } },
];

export function hasDocument(dispute: Dispute, typeCode: string): boolean {
  return dispute.documents.some((document) => document.typeCode === typeCode);
}

/** Returns whether every required document of the defense reason was supplied. */
export function isSatisfied(dispute: Dispute, reason: (typeof defenseReasons)[number]): boolean {
  const documents = Object.entries(reason.documents);
  const alternatives = documents.filter(([, level]) => level === "OneOrMore");
  return (
    documents.every(
      ([typeCode, level]) => level !== "Required" || hasDocument(dispute, typeCode),
    ) &&
    (alternatives.length === 0 || alternatives.some(([typeCode]) => hasDocument(dispute, typeCode)))
  );
}

/** Returns whether the merchant can still defend or accept the dispute. */
export function isDefendable(dispute: Dispute, nowMs: number): boolean {
  return dispute.status === "Unresponded" && nowMs < dispute.defensePeriodEndsAt;
}

/** Names of common reason codes. The text of a notification contains them. */
export const reasonNames: Readonly<Record<string, string>> = {
  "10.4": "Other Fraud-Card Absent Environment",
  "12.5": "Incorrect Amount",
  "13.1": "Merchandise/Services Not Received",
  "13.3": "Not as Described or Defective Merchandise/Services",
  "13.6": "Credit Not Processed",
  "4837": "No Cardholder Authorization",
  "4853": "Cardholder Dispute",
};
