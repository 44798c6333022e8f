import { decimalsOf, decimalText } from "./amount.ts";
import { timestamp } from "./events.ts";
import type { Platform } from "./platform.ts";
import type { Account, Movement, Payout, Report } from "./records.ts";
import { responseOf } from "./test-values.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** Pays out the balance of the account in each currency, and generates the two reports of each payout. */
export function payOut(platform: Platform, account: Account): readonly Payout[] {
  const open = [...platform.movements.values()].filter(
    (movement) => movement.account === account.id && movement.payout === null,
  );
  const payouts: Payout[] = [];
  for (const [currency, movements] of Map.groupBy(open, (one) => one.holdingCurrency)) {
    const amount = movements.reduce((sum, { holdingAmount }) => sum + holdingAmount, 0);
    // Checkout.com pays out no negative balance. The movements stay open until the next payout.
    if (amount <= 0) continue;
    const createdAt = platform.clock.nowMs();
    const id = payoutId(platform);
    const payout = { id, account: account.id, amount, currency, createdAt };
    payouts.push(platform.put<Payout>(platform.payouts, payout));
    const paid = movements.map((movement) =>
      platform.put<Movement>(platform.movements, { ...movement, payout: id }),
    );
    addReport(platform, account, payout, "FinancialActions", financialActions(platform, paid));
    addReport(platform, account, payout, "Payouts", payoutsCsv(account, payout, paid));
  }
  return payouts;
}

/** Returns an identifier such as `00000000CFJU` (docs of the Financial Actions by Payout ID report). */
function payoutId(platform: Platform): string {
  return `0000${platform.newId("", 8).slice(1).toUpperCase()}`;
}

function addReport(
  platform: Platform,
  account: Account,
  payout: Payout,
  type: Report["type"],
  content: string,
): void {
  const day = (ms: number) => timestamp(ms).slice(0, 10).replaceAll("-", "");
  const { createdAt } = payout;
  const start = day(createdAt - dayMs);
  // The file names follow Checkout.com's documentation of the two reports.
  const filename =
    type === "FinancialActions"
      ? `financial-actions_${account.entity}_${day(createdAt)}_${payout.id}_1.csv`
      : `payouts_${account.entity}_${start}_${day(createdAt)}_1.csv`;
  const report = platform.put<Report>(platform.reports, {
    id: platform.newId("rpt"),
    account: account.id,
    type,
    payout: payout.id,
    file: platform.newId("file"),
    filename,
    content,
    createdAt,
    from: createdAt - dayMs,
    to: createdAt,
  });
  emitGenerated(platform, account, report);
}

/** Emits the event `report_generated` (checkout.com/docs/developer-resources/event-notifications/event-types/report_generated). */
function emitGenerated(platform: Platform, account: Account, report: Report): void {
  const fault = platform.takeFault("reports", ["duplicate_event", "lost_event"], null);
  const url = `${platform.baseUrl}/reports/${report.id}`;
  const data = {
    report_id: report.id,
    report_type: report.type,
    files: [`reports/${report.filename}`],
    api_resources: {
      report: { id: report.id, url },
      files: [{ id: report.file, url: `${url}/files/${report.file}` }],
    },
    account: { client_id: account.id, entity_id: account.entity },
    tags: [`payout_id:${report.payout}`],
  };
  const source = { account: account.id, channel: null, subject: report.id };
  platform.emit(source, "report_generated", data, {}, fault?.fault ?? null);
}

/** The columns of the Financial Actions report, in the order of its exports. */
const financialActionColumns = [
  "Client Entity ID",
  "Client Entity Name",
  "Sub Entity ID",
  "Sub Entity Name",
  "Processing Channel ID",
  "Merchant Category Code",
  "Currency Account ID",
  "Currency Account Name",
  "Currency Account Custom ID",
  "Action Type",
  "Action ID",
  "Payment ID",
  "Requested On",
  "Processed On",
  "Processing Currency",
  "FX Rate Applied",
  "Holding Currency",
  "FX Trade ID",
  "Payout ID",
  "Reference",
  "Payment Method",
  "Card Type",
  "Card Category",
  "Issuer Country",
  "Entity Country",
  "Region",
  "MID",
  "Response Code",
  "Response Description",
  "Breakdown Type",
  "Processing Currency Amount",
  "Holding Currency Amount",
  "Entity Country Tax Currency",
  "Tax Fx Rate",
  "Tax Currency Amount",
] as const;

function financialActions(platform: Platform, movements: readonly Movement[]): string {
  const rows = movements.map((movement) => {
    const payment = platform.payment(movement.payment);
    const { entity } = platform.account(movement.account);
    const response = platform.actions.get(movement.action)?.response ?? responseOf("10000");
    const isConverted = movement.holdingCurrency !== movement.currency;
    const fields: Partial<Record<(typeof financialActionColumns)[number], string>> = {
      "Client Entity ID": entity,
      "Client Entity Name": "Example",
      "Processing Channel ID": movement.channel,
      "Currency Account ID": `ca_${movement.holdingCurrency.toLowerCase().padEnd(26, "a")}`,
      "Currency Account Name": movement.holdingCurrency,
      "Action Type": movement.actionType,
      "Action ID": movement.action,
      "Payment ID": movement.payment,
      "Requested On": localTime(movement.requestedAt),
      "Processed On": localTime(movement.processedAt),
      "Processing Currency": movement.currency,
      "FX Rate Applied": isConverted ? String(movement.rate) : "",
      "Holding Currency": movement.holdingCurrency,
      "Payout ID": movement.payout ?? "",
      Reference: movement.reference ?? "",
      "Payment Method": payment.card.scheme,
      "Card Type": "Credit",
      "Card Category": "Consumer",
      "Issuer Country": "GB",
      "Entity Country": "GB",
      Region: "Domestic",
      "Response Code": response.code,
      "Response Description": response.summary,
      "Breakdown Type": movement.breakdownType,
      "Processing Currency Amount": decimalText(movement.amount, movement.currency),
      "Holding Currency Amount": decimalText(movement.holdingAmount, movement.holdingCurrency),
    };
    return financialActionColumns.map((column) => fields[column] ?? "");
  });
  return csv([financialActionColumns, ...rows]);
}

/** Returns a time in the settlement time zone of the entity, which is UTC. */
function localTime(ms: number): string {
  return timestamp(ms).slice(0, 19).replace("T", " ");
}

/**
 * The first columns of the Payouts report
 * (checkout.com/docs/business-operations/retrieve-reports/reconciliation-reports/payouts-reports).
 */
const payoutColumns = [
  "Client Entity ID",
  "Client Entity Name",
  "Sub Entity ID",
  "Sub Entity Name",
  "Currency Account ID",
  "Currency Account Name",
  "Holding Currency",
  "Payout ID",
  "Payout Date",
  "Reporting Start Date",
  "Reporting End Date",
  "Payout Amount",
  "Merchant Payout Fees",
  "Payments",
  "Refunds",
  "Chargebacks",
  "Pay To Cards",
  "Card Payment Interchange Fees",
  "Card Payment Scheme Fees",
] as const;

function payoutsCsv(account: Account, payout: Payout, movements: readonly Movement[]): string {
  const { currency } = payout;
  const sumOf = (pattern: RegExp) =>
    movements
      .filter(({ breakdownType }) => pattern.test(breakdownType))
      .reduce((sum, { holdingAmount }) => sum + holdingAmount, 0);
  const amount = (value: number) => decimalText(value, currency);
  const row = [
    account.entity,
    "Example",
    "",
    "",
    `ca_${currency.toLowerCase().padEnd(26, "a")}`,
    currency,
    currency,
    payout.id,
    timestamp(payout.createdAt),
    timestamp(payout.createdAt - dayMs),
    timestamp(payout.createdAt),
    amount(payout.amount),
    (0).toFixed(decimalsOf(currency)),
    amount(sumOf(/Capture$/)),
    amount(sumOf(/^Refund$/)),
    amount(sumOf(/^Chargeback/)),
    (0).toFixed(decimalsOf(currency)),
    amount(sumOf(/^Interchange/)),
    amount(sumOf(/^Scheme/)),
  ];
  return csv([payoutColumns, row]);
}

/** Returns the text of a CSV file. A field with a separator is quoted (RFC 4180). */
function csv(rows: readonly (readonly string[])[]): string {
  const quoted = (field: string) =>
    /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
  return rows.map((row) => `${row.map(quoted).join(",")}\n`).join("");
}
