import { paymentMethodIdFromUuid } from "../../cards/payment-methods/payment-method-id.ts";
import { createdSeconds, idFromUuid } from "../../core/ids.ts";
import { compactJson } from "../../core/json-text.ts";
import { columnsOf } from "../../platform/database/row-columns.ts";
import type { RowText } from "../../platform/database/row-text.ts";
import { fragment, type RowSql } from "../../platform/database/sql.ts";
import { amountCell, csvLine, textCell, timeCell } from "../../platform/http/csv.ts";
import type { DownloadLine } from "../../platform/http/download.ts";
import type { ReadCharges } from "./charge-list.sql.ts";

const { list, at } = columnsOf({
  id: fragment`id`,
  status: fragment`status`,
  currency: fragment`currency`,
  amount: fragment`amount`,
  captured: fragment`amount_captured`,
  refunded: fragment`amount_refunded`,
  disputed: fragment`amount_disputed`,
  declineCode: fragment`decline_code`,
  riskScore: fragment`risk_score`,
  brand: fragment`card->>'brand' as brand`,
  last4: fragment`card->>'last4' as last4`,
  paymentMethod: fragment`payment_method_id`,
  customer: fragment`customer_id`,
  session: fragment`checkout_session_id`,
  clientReference: fragment`client_reference_id`,
  description: fragment`description`,
  metadata: fragment`metadata`,
});

const columns: Readonly<Record<string, (row: RowText) => string>> = {
  id: (row) => idFromUuid("ch", row.ascii(at.id)),
  created: (row) => timeCell(createdSeconds(idFromUuid("ch", row.ascii(at.id)))),
  status: (row) => row.ascii(at.status),
  currency: (row) => row.ascii(at.currency),
  amount: (row) => amount(row, at.amount),
  amount_captured: (row) => amount(row, at.captured),
  amount_refunded: (row) => amount(row, at.refunded),
  amount_disputed: (row) => amount(row, at.disputed),
  decline_code: (row) => row.asciiOrNull(at.declineCode) ?? "",
  risk_score: (row) => row.ascii(at.riskScore),
  brand: (row) => row.ascii(at.brand),
  last4: (row) => row.ascii(at.last4),
  payment_method_id: (row) => paymentMethodIdFromUuid(row.ascii(at.paymentMethod)),
  customer_id: (row) => idOrEmpty("cus", row, at.customer),
  checkout_session_id: (row) => idOrEmpty("cs", row, at.session),
  client_reference_id: (row) => textCell(row.textOrNull(at.clientReference)),
  description: (row) => textCell(row.textOrNull(at.description)),
  metadata: (row) => textCell(compactJson(row.text(at.metadata))),
};

export const downloadHead = csvLine(Object.keys(columns));

const cells = Object.values(columns);

/** Reads charges as lines of the download. */
export function downloadLines(readRows: RowSql): ReadCharges<DownloadLine> {
  const read = readRows((row) => ({
    uuid: row.ascii(at.id),
    text: csvLine(cells.map((cell) => cell(row))),
  }));
  return (statement) => read`${statement(list)}`;
}

function amount(row: RowText, column: number): string {
  return amountCell(row.integer(column), row.ascii(at.currency));
}

function idOrEmpty(prefix: string, row: RowText, column: number): string {
  return row.isNull(column) ? "" : idFromUuid(prefix, row.ascii(column));
}
