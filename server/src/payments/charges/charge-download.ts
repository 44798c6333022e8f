import type { Charge } from "@florin/contract/charge.ts";
import { amountCell, csvLine, textCell, timeCell } from "../../platform/http/csv.ts";

const columns: Readonly<Record<string, (charge: Charge) => string>> = {
  id: ({ id }) => id,
  created: ({ created }) => timeCell(created),
  status: ({ status }) => status,
  currency: ({ currency }) => currency,
  amount: ({ amount, currency }) => amountCell(amount, currency),
  amount_captured: (one) => amountCell(one.amount_captured, one.currency),
  amount_refunded: (one) => amountCell(one.amount_refunded, one.currency),
  amount_disputed: (one) => amountCell(one.amount_disputed, one.currency),
  decline_code: ({ decline_code }) => decline_code ?? "",
  risk_score: ({ outcome }) => String(outcome.risk_score),
  brand: ({ payment_method_details: { card } }) => card.brand,
  last4: ({ payment_method_details: { card } }) => card.last4,
  payment_method_id: ({ payment_method_id }) => payment_method_id,
  customer_id: ({ customer_id }) => customer_id ?? "",
  checkout_session_id: ({ checkout_session_id }) => checkout_session_id ?? "",
  client_reference_id: ({ client_reference_id }) => textCell(client_reference_id),
  description: ({ description }) => textCell(description),
  metadata: ({ metadata }) => textCell(JSON.stringify(metadata)),
};

export const downloadHead = csvLine(Object.keys(columns));

const cells = Object.values(columns);

export function downloadLine(charge: Charge): string {
  return csvLine(cells.map((cell) => cell(charge)));
}
