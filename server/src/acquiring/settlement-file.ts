/**
 * The settlement file: an acquirer's settlement of one merchant on one day (UTC), as CSV (RFC 4180, no quotes needed).
 * In test mode, the simulator writes it. In live mode, `settlements-of-reports.ts` writes it from the acquirer's
 * reports. The format is documented in docs/reference/settlement-file.md.
 *
 *     record,type,reference,charge,posted_at,currency,amount,fee
 *     file,1,2026-01-31,,2026-02-01T00:00:00.000Z,,,
 *     line,capture,ch_…,ch_…,2026-01-31T09:30:00.000Z,usd,1999,20
 *     line,refund,op_…,ch_…,2026-01-31T17:00:00.000Z,usd,-500,0
 *     total,2,,,,usd,1499,20
 *     end,2,,,,,,
 *
 * Amounts are integers in the currency's smallest unit. They are positive for money that the merchant receives, and
 * negative for money that the merchant pays.
 */
const settlementTypes = [
  "capture",
  "capture_reversal",
  "refund",
  "refund_return",
  "chargeback",
  "chargeback_return",
  "second_chargeback",
] as const;
export type SettlementType = (typeof settlementTypes)[number];

export type SettlementLine = {
  readonly type: SettlementType;
  /** The charge or operation ID that we sent. For a chargeback, the network's case number. */
  readonly reference: string;
  readonly charge: string;
  readonly postedAt: Date;
  readonly currency: string;
  readonly amountMinor: number;
  /** The acquirer's fee. */
  readonly feeMinor: number;
};

export type SettlementTotal = {
  readonly currency: string;
  readonly lines: number;
  readonly amountMinor: number;
  readonly feeMinor: number;
};

export type SettlementRecord =
  /** The file contains all lines posted before `until`: the end of the day, or the time of the file's creation. */
  | { readonly record: "file"; readonly day: string; readonly until: Date }
  | ({ readonly record: "line" } & SettlementLine)
  | ({ readonly record: "total" } & SettlementTotal)
  /** The last record. A file without it was truncated. */
  | { readonly record: "end"; readonly lines: number };

const head = "record,type,reference,charge,posted_at,currency,amount,fee";

export function writeHead(day: string, until: Date): string {
  return `${head}\r\nfile,1,${day},,${until.toISOString()},,,\r\n`;
}

export function writeLine(line: SettlementLine): string {
  const { type, reference, charge, postedAt, currency, amountMinor, feeMinor } = line;
  return `line,${type},${reference},${charge},${postedAt.toISOString()},${currency},${amountMinor},${feeMinor}\r\n`;
}

/** Returns the total records and the end record. */
export function writeEnd(totals: readonly SettlementTotal[]): string {
  const rows = totals.map(
    ({ currency, lines, amountMinor, feeMinor }) =>
      `total,${lines},,,,${currency},${amountMinor},${feeMinor}\r\n`,
  );
  return `${rows.join("")}end,${totals.reduce((sum, { lines }) => sum + lines, 0)},,,,,,\r\n`;
}

/** Thrown for a malformed file. None of its lines are used. */
export class SettlementFileUnreadable extends Error {
  override name = "SettlementFileUnreadable";
}

/**
 * Parses a settlement file while it is received. Throws at the first malformed line. The caller must then ignore all
 * lines of the file.
 */
export async function* readSettlement(
  text: AsyncIterable<string>,
): AsyncGenerator<SettlementRecord> {
  let number = 0;
  let last: SettlementRecord | null = null;
  for await (const row of rowsOf(text)) {
    number += 1;
    if (number === 1) {
      if (row !== head) throw unreadable(number, `the first line must be '${head}'`);
      continue;
    }
    const record = readRow(row, number);
    if ((number === 2) !== (record.record === "file")) {
      throw unreadable(
        number,
        "exactly one record 'file' is required, and it must be the first record",
      );
    }
    if (last?.record === "end") throw unreadable(number, "records follow the end record");
    last = record;
    yield record;
  }
  if (last?.record !== "end") throw unreadable(number, "the end record is missing");
}

async function* rowsOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of text) {
    const rows = (rest + piece).split(/\r?\n/);
    rest = rows.pop() ?? "";
    yield* rows;
  }
  if (rest !== "") yield rest;
}

function readRow(row: string, number: number): SettlementRecord {
  const cells = row.split(",");
  if (cells.length !== 8) throw unreadable(number, "each record must have eight columns");
  const [record, type, reference, charge, at, currency, amount, fee] = cells as Cells;
  switch (record) {
    case "file":
      if (type !== "1") throw unreadable(number, `the version '${type}' is not supported`);
      return { record, day: reference, until: readTime(at, number) };
    case "line":
      if (!isType(type)) throw unreadable(number, `the type '${type}' is unknown`);
      return {
        record,
        type,
        reference,
        charge,
        postedAt: readTime(at, number),
        currency: readCurrency(currency, number),
        amountMinor: readInteger(amount, number),
        feeMinor: readInteger(fee, number),
      };
    case "total":
      return {
        record,
        lines: readInteger(type, number),
        currency: readCurrency(currency, number),
        amountMinor: readInteger(amount, number),
        feeMinor: readInteger(fee, number),
      };
    case "end":
      return { record, lines: readInteger(type, number) };
    default:
      throw unreadable(number, `the record '${record}' is unknown`);
  }
}

type Cells = [string, string, string, string, string, string, string, string];

function isType(text: string): text is SettlementType {
  return (settlementTypes as readonly string[]).includes(text);
}

function readInteger(text: string, number: number): number {
  const value = Number(text);
  if (/^-?\d{1,15}$/.test(text)) return value;
  throw unreadable(number, `'${text}' is not an integer`);
}

function readCurrency(text: string, number: number): string {
  if (/^[a-z]{3}$/.test(text)) return text;
  throw unreadable(number, `'${text}' is not a currency`);
}

function readTime(text: string, number: number): Date {
  const time = new Date(text);
  if (!Number.isNaN(time.getTime()) && text.endsWith("Z")) return time;
  throw unreadable(number, `'${text}' is not a UTC time`);
}

function unreadable(line: number, why: string): SettlementFileUnreadable {
  return new SettlementFileUnreadable(`Line ${line} of the settlement file is invalid: ${why}.`);
}
