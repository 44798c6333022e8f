import { createHash } from "node:crypto";
import { decimalText } from "@florin/contract/minor-units.ts";
import { parseId } from "../../core/ids.ts";
import { type Currency, isCurrency, type Money } from "../../core/money.ts";
import { mapInTimeSlices } from "../../core/time-slices.ts";
import { addUpReport, payoutType } from "../add-up-report.ts";
import {
  isJsonObject,
  type JsonObject,
  numberOf,
  objectOf,
  parseJsonObject,
  textOf,
} from "../json-object.ts";
import { createRounding, type Rounding, toMinor } from "../round-report-amounts.ts";
import type { SettlementType } from "../settlement-file.ts";
import type {
  FetchedReport,
  SettlementReport,
  SettlementReportLine,
} from "../settlement-report.ts";
import { fromStripeAmount, scaledStripeAmount } from "./currencies.ts";
import { chargeKey, operationKey, type StripeRequest, safeId } from "./requests.ts";
import { type StripeAccess, sendOnce } from "./send-request.ts";

/** The number of movements per page, which is Stripe's maximum. */
const pageSize = 100;
/** The maximum number of pages of one report. */
const maxPages = 1_000;

/**
 * Reads the movements of a payout (docs.stripe.com/payouts/reconciliation). They include the payout itself, so that
 * their net amounts add up to zero. Keeps only the line of each movement in memory, because a movement contains its
 * whole payment.
 */
export async function fetchPayout(access: StripeAccess, payout: string): Promise<FetchedReport> {
  // Stripe lists the newest movement first.
  const newestFirst: SettlementReportLine[] = [];
  const round = createRounding();
  let after: JsonObject | undefined;
  for (let page = 0; page < maxPages; page++) {
    const result = await sendOnce(access, listRequest(payout, after), null);
    if (result.kind !== "response") return retry(result.problem);
    const body = parseJsonObject(result.response.body);
    if (result.response.status !== 200 || !Array.isArray(body?.data)) {
      return retry(`Stripe returned status ${result.response.status}`);
    }
    for (const transaction of body.data.filter(isJsonObject)) {
      const line = lineOf(transaction, round, {
        line: 0,
        merchantAccount: access.account,
        payout,
      });
      if (line === null) {
        const problem = `Florin cannot read the movement ${textOf(transaction, "id")}. Its amounts, time or category are missing, or its currency is not supported.`;
        return { kind: "review", problem };
      }
      newestFirst.push(line);
      after = transaction;
    }
    if (body.has_more === true) continue;
    const report = await reportOf(access.account, payout, newestFirst.toReversed());
    return { kind: "fetched", fileName: `${payout}.json`, report };
  }
  return {
    kind: "review",
    problem: `The payout has more than ${maxPages * pageSize} movements. Schedule payouts more often, so that a payout contains fewer movements.`,
  };
}

function listRequest(payout: string, after: JsonObject | undefined): StripeRequest {
  const start = after === undefined ? "" : `&starting_after=${safeId("txn", String(after.id))}`;
  const expand = "expand[]=data.source&expand[]=data.source.charge";
  const path = `/v1/balance_transactions?payout=${safeId("po", payout)}&limit=${pageSize}&${expand}${start}`;
  return { method: "GET", path, idempotencyKey: null, body: null };
}

function retry(problem: string): FetchedReport {
  return { kind: "retry", problem: `The payout could not be read: ${problem}.` };
}

/**
 * The settlement type of each movement of a payment, by its `reporting_category`
 * (docs.stripe.com/reports/reporting-categories). A partial capture has two movements: the authorized amount, and the
 * return of the part that was not captured.
 */
export const transactionTypes: Readonly<Record<string, SettlementType>> = {
  charge: "capture",
  partial_capture_reversal: "capture_reversal",
  refund: "refund",
  refund_failure: "refund_return",
  dispute: "chargeback",
  dispute_reversal: "chargeback_return",
};

/**
 * For each category of movements that belong to no payment, the type of the batch line in the settlement report. The
 * amount of a payout that failed at the bank returns to the balance, and the next payout contains it. The return has
 * the type of a payout too, so that this amount does not count as paid twice.
 */
export const batchTypes: Readonly<Record<string, string>> = {
  payout: payoutType,
  payout_reversal: payoutType,
  fee: "Fee",
  network_cost: "Fee",
  tax: "Fee",
  payout_minimum_balance_hold: "Balancetransfer",
  payout_minimum_balance_release: "Balancetransfer",
  risk_reserved_funds: "Balancetransfer",
  topup: "DepositCorrection",
  topup_reversal: "DepositCorrection",
};

function lineOf(
  transaction: JsonObject,
  round: Rounding,
  position: { readonly line: number; readonly merchantAccount: string; readonly payout: string },
): SettlementReportLine | null {
  const currency = textOf(transaction, "currency");
  const created = numberOf(transaction, "created");
  const category = textOf(transaction, "reporting_category");
  if (currency === null || !isCurrency(currency)) return null;
  const exactNet = scaledOf(transaction, "net", currency);
  const fee = scaledOf(transaction, "fee", currency);
  if (exactNet === null || fee === null || created === null || category === null) return null;
  // A fee can have more decimals than the currency. For example, Stripe's amounts in ISK have two.
  const net = { amountMinor: round.next(exactNet, currency), currency };
  const source = objectOf(transaction, "source");
  const names = namesOf(source);
  const postedAt = new Date(created * 1000);
  const rate = numberOrNull(transaction.exchange_rate);
  const fields = {
    line: position.line,
    typeText: batchTypes[category] ?? category,
    merchantAccount: position.merchantAccount,
    batchNumber: position.payout,
    ...names,
    paymentMethod: null,
    createdAt: postedAt.toISOString().slice(0, 19).replace("T", " "),
    timeZone: "UTC",
    postedAt,
    exchangeRate: rate === null ? null : String(rate),
    net,
  };
  if (Object.hasOwn(batchTypes, category)) return { kind: "batch", ...fields };
  const settlementType = settlementTypeOf(category, names.operation !== null);
  const gross = settlementType && grossOf(transaction, source, currency);
  if (!settlementType || !gross) return { kind: "unknown", ...fields };
  const feeMinor = toMinor(exactNet + fee, currency) - net.amountMinor;
  const commission = decimalText(feeMinor, currency);
  const fees = { commission, markup: null, schemeFees: null, interchange: null };
  return {
    kind: "transaction",
    settlementType,
    gross,
    feeMinor,
    fees,
    ...fields,
  };
}

/** A refund that does not refer to one of our refund operations reverses the whole payment. */
function settlementTypeOf(category: string, isOperation: boolean): SettlementType | null {
  const type = Object.hasOwn(transactionTypes, category) ? transactionTypes[category] : null;
  return type === "refund" && !isOperation ? "capture_reversal" : (type ?? null);
}

/** Returns our references in the source of the movement, which is a charge, a refund or a dispute. */
function namesOf(source: JsonObject) {
  const metadata = objectOf(source, "metadata");
  const charge = source.object === "charge" ? source : objectOf(source, "charge");
  const reference = textOf(objectOf(charge, "metadata"), chargeKey) ?? textOf(metadata, chargeKey);
  return {
    charge: parseId("ch", reference ?? ""),
    operation: parseId("op", textOf(metadata, operationKey) ?? ""),
    paymentReference: textOf(source, "payment_intent"),
    modificationReference: textOf(source, "id"),
  };
}

/** Returns the amount in the currency of the payment. The movement has the currency of the payout. */
function grossOf(
  transaction: JsonObject,
  source: JsonObject,
  currency: string | null,
): Money | null {
  const amount = numberOf(transaction, "amount");
  const original = textOf(source, "currency");
  if (amount === null || original === null) return null;
  if (original === currency) return fromStripeAmount({ amount, currency: original });
  const value = numberOf(source, "amount");
  return value === null
    ? null
    : fromStripeAmount({ amount: Math.sign(amount) * value, currency: original });
}

/** Returns the amount in units of 10^-8. */
function scaledOf(fields: JsonObject, name: string, currency: Currency): bigint | null {
  const amount = numberOf(fields, name);
  return amount === null ? null : scaledStripeAmount({ amount, currency });
}

function numberOrNull(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

/** Numbers the lines, which are ordered from the oldest to the newest, and returns the report that contains them. */
async function reportOf(
  merchantAccount: string,
  batch: string,
  unnumbered: readonly SettlementReportLine[],
): Promise<SettlementReport> {
  const hash = createHash("sha256");
  let number = 0;
  const lines = await mapInTimeSlices(unnumbered, (one): SettlementReportLine => {
    number += 1;
    const line = { ...one, line: number };
    // The hash of the array as JSON.
    hash.update(`${number === 1 ? "[" : ","}${JSON.stringify(line)}`);
    return line;
  });
  hash.update(number === 0 ? "[]" : "]");
  return addUpReport({ merchantAccount, batch, lines, sha256: hash.digest("hex") });
}
