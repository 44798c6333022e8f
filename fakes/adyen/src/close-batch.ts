import { minorDigits } from "./amount.ts";
import { notificationFaults } from "./faults.ts";
import type { LedgerAccount, MovementKind, Transfer } from "./ledger.ts";
import type { MerchantAccount } from "./merchant-account.ts";
import type { Platform } from "./platform.ts";
import { recordEvent } from "./record-event.ts";
import type { SettlementBatch } from "./settlement-batch.ts";
import { type ReportFees, type ReportLine, writeSettlementReport } from "./settlement-report.ts";

/** The path of the settlement reports. The merchant account and the file name are appended. */
export const reportsPath = "/reports/download/MerchantAccount/";

/** The journal type of each movement of money. */
const journalTypes: Partial<Readonly<Record<MovementKind, string>>> = {
  captured: "Settled",
  capture_failed: "SettledReversed",
  refunded: "Refunded",
  refund_failed: "RefundedReversed",
  chargeback: "Chargeback",
  chargeback_reversed: "ChargebackReversed",
  second_chargeback: "SecondChargeback",
};

/** Pays out the movements since the last batch, and records the report and its notification. */
export function closeBatch(
  platform: Platform,
  account: MerchantAccount,
): { batch: SettlementBatch; notifications: readonly string[] } {
  const { state, clock } = platform;
  const { merchantAccount } = account;
  const previous = lastBatch(platform, merchantAccount);
  const number = (previous?.number ?? 0) + 1;
  const from = previous?.nextPosition ?? 0;
  const transfers = settledTransfers(state.ledger.since(from), merchantAccount);
  const lines = transfers.map((transfer) => lineOf(platform, account, transfer));
  lines.push(...carriedLines(previous, clock.nowMs()), ...chargebackFees(lines, clock.nowMs()));
  for (const line of lines) recordSettlement(platform, merchantAccount, line);

  const payouts: Record<string, number> = {};
  const carriedOver: Record<string, number> = {};
  for (const [currency, total] of netTotals(lines)) {
    if (total > 0) payouts[currency] = total;
    if (total < 0) carriedOver[currency] = total;
    if (total === 0) continue;
    const type = total > 0 ? "MerchantPayout" : "Balancetransfer";
    lines.push(batchLine(type, clock.nowMs(), `batch ${number}`, { currency, value: -total }));
    const value = Math.max(total, 0);
    move(platform, merchantAccount, {
      kind: "payout",
      currency,
      debit: "payable",
      credit: "bank",
      value,
    });
  }
  const fileName = `settlement_detail_report_batch_${number}.csv`;
  const head = { companyAccount: account.companyAccount, merchantAccount, batchNumber: number };
  const batch: SettlementBatch = {
    merchantAccount,
    number,
    closedAt: clock.nowMs(),
    nextPosition: state.ledger.length,
    carriedOver,
    payouts,
    fileName,
    report: writeSettlementReport(head, lines),
  };
  state.put("batches", `${merchantAccount}/${fileName}`, batch);
  return { batch, notifications: notify(platform, batch) };
}

function lastBatch({ state }: Platform, merchantAccount: string): SettlementBatch | null {
  const batches = [...state.batches.values()];
  return batches.filter((batch) => batch.merchantAccount === merchantAccount).at(-1) ?? null;
}

/** Returns the movements of money. A capture and its failure in the same batch cancel each other out. */
function settledTransfers(transfers: readonly Transfer[], merchantAccount: string): Transfer[] {
  const settled = new Set<Transfer>();
  /** The last movement of each capture, unless a later movement has reversed it. */
  const unreversed = new Map<string, Transfer>();
  for (const transfer of transfers) {
    const { debit, credit, kind, modification, payment } = transfer;
    const isMoney = payment !== null && (debit === "payable" || credit === "payable");
    if (!isMoney || transfer.merchantAccount !== merchantAccount) continue;
    settled.add(transfer);
    if (kind !== "captured" && kind !== "capture_failed") continue;
    // An automatic capture has no modification.
    const capture = modification ?? payment;
    const previous = unreversed.get(capture);
    if (previous === undefined || previous.kind === kind) {
      unreversed.set(capture, transfer);
    } else {
      unreversed.delete(capture);
      settled.delete(previous);
      settled.delete(transfer);
    }
  }
  return [...settled];
}

function lineOf(platform: Platform, account: MerchantAccount, transfer: Transfer): ReportLine {
  const { state } = platform;
  const payment = state.payments.get(transfer.payment ?? "");
  const modification = state.modifications.get(transfer.modification ?? "");
  const value = transfer.credit === "payable" ? transfer.value : -transfer.value;
  const currency = account.settlementCurrency ?? transfer.currency;
  const exchangeRate = currency === transfer.currency ? "1" : rateOf(account, transfer.currency);
  const converted = convert(value, transfer.currency, currency, exchangeRate);
  const fees = feesOf(account, transfer.kind, converted);
  return {
    type: journalTypes[transfer.kind] ?? transfer.kind,
    createdAt: transfer.at,
    pspReference: transfer.payment ?? "",
    merchantReference: payment?.reference ?? "",
    paymentMethod: payment?.card.brand ?? "",
    modificationReference: transfer.modification ?? transfer.payment ?? "",
    modificationMerchantReference: modification?.reference ?? "",
    gross: { currency: transfer.currency, value },
    exchangeRate,
    net: { currency, value: converted - sumOf(fees) },
    fees,
  };
}

function rateOf({ exchangeRates, settlementCurrency }: MerchantAccount, currency: string): string {
  const rate = exchangeRates[currency];
  if (rate === undefined) {
    throw new Error(
      `The merchant account has no exchange rate from ${currency} to ${settlementCurrency}. Set it in \`exchangeRates\`.`,
    );
  }
  return rate;
}

/** Converts an amount without floating-point arithmetic, and rounds half away from zero. */
function convert(value: number, from: string, to: string, rate: string): number {
  const [whole = "", decimals = ""] = rate.split(".");
  const scale = 10n ** BigInt(decimals.length + minorDigits(from));
  const scaled =
    BigInt(Math.abs(value)) * BigInt(whole + decimals) * 10n ** BigInt(minorDigits(to));
  return Math.sign(value) * Number((2n * scaled + scale) / (2n * scale));
}

/** Returns the fees of a line. Only captures have fees in their line. The fee of a chargeback is on a separate line. */
function feesOf({ pricing }: MerchantAccount, kind: MovementKind, value: number): ReportFees {
  const share = (percent: number) =>
    kind === "captured" ? Math.round((value * percent) / 100) : 0;
  if (pricing === "blended") return { commission: share(1.4) };
  return { markup: share(0.6), schemeFees: share(0.1), interchange: share(0.3) };
}

function sumOf(fees: ReportFees): number {
  return "commission" in fees ? fees.commission : fees.markup + fees.schemeFees + fees.interchange;
}

function batchLine(
  type: string,
  createdAt: number,
  modificationReference: string,
  net: { readonly currency: string; readonly value: number },
): ReportLine {
  return {
    type,
    createdAt,
    pspReference: "",
    merchantReference: "",
    paymentMethod: "",
    modificationReference,
    modificationMerchantReference: "",
    gross: null,
    exchangeRate: "1",
    net,
    fees: null,
  };
}

function carriedLines(previous: SettlementBatch | null, now: number): ReportLine[] {
  return Object.entries(previous?.carriedOver ?? {}).map(([currency, value]) =>
    batchLine("Balancetransfer", now, `batch ${previous?.number}`, { currency, value }),
  );
}

/** The costs of a chargeback in major units of the payout currency. */
const chargebackFee = 15;

function chargebackFees(lines: readonly ReportLine[], now: number): ReportLine[] {
  return lines
    .filter(({ type }) => type === "Chargeback")
    .map(({ modificationReference, net: { currency } }) =>
      batchLine("Fee", now, `Chargeback fee ${modificationReference}`, {
        currency,
        value: -chargebackFee * 10 ** minorDigits(currency),
      }),
    );
}

function netTotals(lines: readonly ReportLine[]): Map<string, number> {
  const totals = new Map<string, number>();
  for (const { net } of lines)
    totals.set(net.currency, (totals.get(net.currency) ?? 0) + net.value);
  return totals;
}

/** Records the conversion and the fees of a line in the ledger. */
function recordSettlement(platform: Platform, merchantAccount: string, line: ReportLine): void {
  const { gross, net, fees, type } = line;
  const converted = net.value + (fees === null ? 0 : sumOf(fees));
  const post = (movement: Movement) => move(platform, merchantAccount, movement);
  if (gross !== null && gross.currency !== net.currency) {
    const { currency, value } = gross;
    post({ kind: "settled", currency, debit: "payable", credit: "conversion", value });
    post({
      kind: "settled",
      currency: net.currency,
      debit: "conversion",
      credit: "payable",
      value: converted,
    });
  }
  const feeValue = type === "Fee" ? -net.value : converted - net.value;
  post({
    kind: "fee",
    currency: net.currency,
    debit: "payable",
    credit: "fees",
    value: feeValue,
  });
}

/** A movement between two accounts of the ledger. A negative value moves the money from `credit` to `debit`. */
type Movement = {
  readonly kind: MovementKind;
  readonly currency: string;
  readonly debit: LedgerAccount;
  readonly credit: LedgerAccount;
  readonly value: number;
};

function move(platform: Platform, merchantAccount: string, movement: Movement): void {
  const { kind, currency, debit, credit, value } = movement;
  if (value === 0) return;
  platform.state.appendTransfer({
    at: platform.clock.nowMs(),
    kind,
    merchantAccount,
    currency,
    ...(value > 0 ? { debit, credit } : { debit: credit, credit: debit }),
    value: Math.abs(value),
    payment: null,
    modification: null,
  });
}

function notify(platform: Platform, batch: SettlementBatch): string[] {
  const url = `${platform.settings.customerAreaUrl}${reportsPath}${batch.merchantAccount}/${batch.fileName}`;
  return recordEvent(
    platform,
    {
      merchantAccount: batch.merchantAccount,
      eventCode: "REPORT_AVAILABLE",
      pspReference: batch.fileName,
      originalReference: null,
      merchantReference: "",
      amount: { currency: "EUR", value: 0 },
      success: true,
      reason: url,
      paymentMethod: null,
      operations: null,
      additionalData: {},
    },
    platform.takeFault("reports", notificationFaults, batch.merchantAccount)?.fault ?? null,
  );
}
