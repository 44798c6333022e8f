import { decimalText } from "./amount.ts";

/**
 * The standard columns of the settlement details report, in their order
 * (docs.adyen.com/reporting/settlement-reconciliation/transaction-level/settlement-details-report).
 */
const columns = [
  "Company Account",
  "Merchant Account",
  "Psp Reference",
  "Merchant Reference",
  "Payment Method",
  "Creation Date",
  "TimeZone",
  "Type",
  "Modification Reference",
  "Gross Currency",
  "Gross Debit (GC)",
  "Gross Credit (GC)",
  "Exchange Rate",
  "Net Currency",
  "Net Debit (NC)",
  "Net Credit (NC)",
  "Commission (NC)",
  "Markup (NC)",
  "Scheme Fees (NC)",
  "Interchange (NC)",
  "Payment Method Variant",
  "Modification Merchant Reference",
  "Batch Number",
] as const;

type Column = (typeof columns)[number];

export type ReportFees =
  | { readonly commission: number }
  | { readonly markup: number; readonly schemeFees: number; readonly interchange: number };

/** A line of the report. Amounts are in minor units. A positive amount is a credit to the merchant. */
export type ReportLine = {
  readonly type: string;
  readonly createdAt: number;
  readonly pspReference: string;
  readonly merchantReference: string;
  readonly paymentMethod: string;
  readonly modificationReference: string;
  readonly modificationMerchantReference: string;
  /** Null if the line concerns the whole batch. */
  readonly gross: { readonly currency: string; readonly value: number } | null;
  readonly exchangeRate: string;
  readonly net: { readonly currency: string; readonly value: number };
  readonly fees: ReportFees | null;
};

export type ReportHead = {
  readonly companyAccount: string;
  readonly merchantAccount: string;
  readonly batchNumber: number;
};

export function writeSettlementReport(head: ReportHead, lines: readonly ReportLine[]): string {
  const records = lines.map((line) => {
    const fields = fieldsOf(head, line);
    return columns.map((column) => quoted(fields[column] ?? ""));
  });
  return [columns, ...records].map((record) => `${record.join(",")}\n`).join("");
}

function fieldsOf(head: ReportHead, line: ReportLine): Partial<Record<Column, string>> {
  const { gross, net, fees } = line;
  const netText = (value: number) => decimalText(value, net.currency);
  return {
    "Company Account": head.companyAccount,
    "Merchant Account": head.merchantAccount,
    "Psp Reference": line.pspReference,
    "Merchant Reference": line.merchantReference,
    "Payment Method": line.paymentMethod,
    "Creation Date": new Date(line.createdAt).toISOString().slice(0, 19).replace("T", " "),
    TimeZone: "UTC",
    Type: line.type,
    "Modification Reference": line.modificationReference,
    ...(gross === null
      ? {}
      : {
          "Gross Currency": gross.currency,
          [gross.value < 0 ? "Gross Debit (GC)" : "Gross Credit (GC)"]: decimalText(
            Math.abs(gross.value),
            gross.currency,
          ),
        }),
    "Exchange Rate": line.exchangeRate,
    "Net Currency": net.currency,
    [net.value < 0 ? "Net Debit (NC)" : "Net Credit (NC)"]: netText(Math.abs(net.value)),
    ...(fees === null
      ? {}
      : "commission" in fees
        ? { "Commission (NC)": netText(fees.commission) }
        : {
            "Markup (NC)": netText(fees.markup),
            "Scheme Fees (NC)": netText(fees.schemeFees),
            "Interchange (NC)": netText(fees.interchange),
          }),
    "Payment Method Variant": line.paymentMethod,
    "Modification Merchant Reference": line.modificationMerchantReference,
    "Batch Number": String(head.batchNumber),
  };
}

/** Quotes a field that contains a separator (RFC 4180). */
function quoted(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
