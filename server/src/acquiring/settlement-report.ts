import type { ChargeId, OperationId } from "../core/ids.ts";
import type { Currency, Money } from "../core/money.ts";
import type { SettlementType } from "./settlement-file.ts";

/** The maximum size of a report: about 100,000 lines. */
export const maxReportBytes = 32 * 1024 * 1024;

/** A settlement report of one batch, with all its lines. */
export type SettlementReport = {
  readonly merchantAccount: string;
  readonly batch: string;
  readonly lines: readonly SettlementReportLine[];
  /** The SHA-256 of the file, in hexadecimal. */
  readonly sha256: string;
  /** The times of the first and the last transaction. Null if the report contains no transactions. */
  readonly postedFrom: Date | null;
  readonly postedUntil: Date | null;
  readonly sums: readonly BatchSums[];
  /** The reason why the lines cannot be complete. Null if they add up to zero in each currency. */
  readonly problem: string | null;
};

/** The net amounts of a batch in one currency, in minor units. */
export type BatchSums = {
  readonly currency: Currency;
  readonly lines: number;
  /** The sum of the lines of payments, refunds and disputes, net of their fees. */
  readonly transactionsMinor: number;
  /** The fees that these lines deduct. */
  readonly feesMinor: number;
  /** Invoices, fees of the batch, corrections and balances of other batches. Negative for costs. */
  readonly otherMinor: number;
  /** The lines of a type that Florin does not support. */
  readonly unknownMinor: number;
  readonly unknownLines: number;
  readonly paidOutMinor: number;
};

/** A line of a live acquirer's settlement report, in the form that every connector returns. */
export type SettlementReportLine =
  | ReportTransaction
  /** A line that belongs to no payment, or one of a type that the connector does not support. */
  | ({ readonly kind: "batch" | "unknown" } & ReportLineFields);

/** A line that belongs to a payment. */
export type ReportTransaction = {
  readonly kind: "transaction";
  /** The type that this line has in our settlement file. */
  readonly settlementType: SettlementType;
  /** Positive for money that the merchant receives. */
  readonly gross: Money;
  /** Gross minus net, in the currency of the payout. */
  readonly feeMinor: number;
  readonly fees: ReportFees;
} & ReportLineFields;

export type ReportLineFields = {
  readonly line: number;
  /** The type as written in the report. */
  readonly typeText: string;
  readonly merchantAccount: string;
  readonly batchNumber: string | null;
  /** Florin's charge. Null if the reference does not come from Florin. */
  readonly charge: ChargeId | null;
  /** Florin's capture or refund. Null if the line does not contain Florin's reference. */
  readonly operation: OperationId | null;
  /** The acquirer's reference of the payment. */
  readonly paymentReference: string | null;
  /** The acquirer's reference of the operation, or the description of a batch line. */
  readonly modificationReference: string | null;
  readonly paymentMethod: string | null;
  /** The time and time zone as written. The zone is an abbreviation, such as `CEST`. */
  readonly createdAt: string;
  readonly timeZone: string | null;
  readonly postedAt: Date;
  readonly exchangeRate: string | null;
  /** Positive for money that the merchant receives. */
  readonly net: Money;
};

/** The fees as decimal numbers in the currency of the payout. Null for an empty column. Negative for a returned fee. */
export type ReportFees = {
  readonly commission: string | null;
  readonly markup: string | null;
  readonly schemeFees: string | null;
  readonly interchange: string | null;
};

/** The report that a notification announced, or the reason why it was not fetched. */
export type FetchedReport =
  | { readonly kind: "fetched"; readonly fileName: string; readonly report: SettlementReport }
  /** The notification announces a report of another kind. */
  | { readonly kind: "ignored" }
  /** `retry` if another attempt can succeed. The problem is shown to the operator. */
  | { readonly kind: "review" | "retry"; readonly problem: string };
