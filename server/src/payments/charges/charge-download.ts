import {
  isTestMethodUuid,
  paymentMethodIdFromUuid,
} from "../../cards/payment-methods/payment-method-id.ts";
import { columnsOf } from "../../platform/database/row-columns.ts";
import type { RowText } from "../../platform/database/row-text.ts";
import { fragment, type RowSql } from "../../platform/database/sql.ts";
import { csvLine } from "../../platform/http/csv.ts";
import { CsvBytes } from "../../platform/http/csv-bytes.ts";
import { type DownloadPage, maxPageBytes } from "../../platform/http/download.ts";
import type { Page } from "../../platform/http/list.ts";
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

const columns: Readonly<Record<string, (line: CsvBytes, row: RowText) => void>> = {
  id: (line, row) => line.idCell("ch", row, at.id),
  created: (line, row) => line.createdCell(row, at.id),
  status: (line, row) => line.cell(row, at.status),
  currency: (line, row) => line.cell(row, at.currency),
  amount: (line, row) => line.amountCell(row, at.amount, at.currency),
  amount_captured: (line, row) => line.amountCell(row, at.captured, at.currency),
  amount_refunded: (line, row) => line.amountCell(row, at.refunded, at.currency),
  amount_disputed: (line, row) => line.amountCell(row, at.disputed, at.currency),
  decline_code: (line, row) => line.cell(row, at.declineCode),
  risk_score: (line, row) => line.cell(row, at.riskScore),
  brand: (line, row) => line.cell(row, at.brand),
  last4: (line, row) => line.cell(row, at.last4),
  payment_method_id: paymentMethodCell,
  customer_id: (line, row) => line.idCell("cus", row, at.customer),
  checkout_session_id: (line, row) => line.idCell("cs", row, at.session),
  client_reference_id: (line, row) => line.textCell(row, at.clientReference),
  description: (line, row) => line.textCell(row, at.description),
  metadata: (line, row) => line.jsonCell(row, at.metadata),
};

export const downloadHead = csvLine(Object.keys(columns));

const cells = Object.values(columns);

/** Slightly more than the size of most lines, so that most pages fit into the first buffer. */
const expectedBytesPerLine = 320;

/**
 * Reads one page of the download. `find` runs the statements that select the charges of the page, and one more charge
 * if another page follows.
 */
export async function readDownloadPage(
  readRows: RowSql,
  { limit }: Page,
  find: (read: ReadCharges<unknown>) => Promise<readonly unknown[]>,
): Promise<DownloadPage> {
  const lines = new CsvBytes(limit * expectedBytesPerLine);
  let lastOfPage: string | null = null;
  let hasMore = false;
  let count = 0;
  const read = readRows((row) => {
    if (lastOfPage !== null) {
      hasMore = true;
      return;
    }
    count += 1;
    lines.beginLine(row);
    for (const cell of cells) cell(lines, row);
    lines.endLine();
    // Later rows belong to the next page.
    if (count === limit || lines.length >= maxPageBytes) lastOfPage = row.ascii(at.id);
  });
  await find((statement) => read`${statement(list)}`);
  return { lines: lines.take(), count, last: hasMore ? lastOfPage : null };
}

/** A test payment method has a fixed name instead of an ID. */
function paymentMethodCell(line: CsvBytes, row: RowText): void {
  if (isTestMethodUuid(row.memory, row.start(at.paymentMethod))) {
    line.stringCell(paymentMethodIdFromUuid(row.ascii(at.paymentMethod)));
  } else {
    line.idCell("pm", row, at.paymentMethod);
  }
}
