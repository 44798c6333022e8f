import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { decimalText } from "@florin/contract/minor-units.ts";
import type { SettlementSource } from "../acquiring/processor.ts";
import {
  readSettlement,
  SettlementFileUnreadable,
  type SettlementLine,
  type SettlementTotal,
  type SettlementType,
} from "../acquiring/settlement-file.ts";
import type { Clock } from "../core/clock.ts";
import { newId, parseId, uuidOf } from "../core/ids.ts";
import type { Scope } from "../core/scope.ts";
import type { Database } from "../platform/database/database.ts";
import type { Noun } from "./reconciled-object.ts";
import { addLine, type Settled } from "./reconciliation.ts";
import {
  completeFile,
  type Incoming,
  insertFile,
  insertLines,
  lockFile,
  type PlacedLine,
  removeLines,
  removeOthers,
} from "./settlement.sql.ts";
import { replaceCosts } from "./settlement-cost.sql.ts";

export type ReceiveDeps = {
  readonly database: Database;
  readonly clock: Clock;
};

export type Received =
  | { readonly kind: "received"; readonly until: Date; readonly settled: readonly Settled[] }
  | { readonly kind: "missing"; readonly message: string }
  | { readonly kind: "unreadable"; readonly message: string };

const lineBatchSize = 5_000;

/**
 * Downloads and stores a day's settlement file. Lines are written in batches during the download, with no transaction
 * open between batches. The lines are ignored until the file is complete.
 */
export async function receiveFile(
  deps: ReceiveDeps,
  processor: SettlementSource,
  scope: Scope,
  day: string,
): Promise<Received> {
  const response = await processor.settlementFile({ account: scope.account, day });
  if (response.kind === "not_ready") {
    return {
      kind: "missing",
      message: `The acquirer does not have a settlement file for ${day} yet. Florin tries again every hour for seven days after the end of the day. To reconcile an older day, start its reconciliation again.`,
    };
  }
  if (response.kind === "unknown") {
    return {
      kind: "missing",
      message: `Florin could not download the settlement file from the acquirer: ${response.problem}. Try again later.`,
    };
  }
  const file = uuidOf(newId("stf", deps.clock.now()));
  const incoming: Incoming = { scope, file, day, processor: processor.name };
  try {
    return await storeFile(deps, incoming, response.text);
  } catch (error) {
    if (!(error instanceof SettlementFileUnreadable)) throw error;
    return { kind: "unreadable", message: error.message };
  }
}

async function storeFile(
  { database }: ReceiveDeps,
  incoming: Incoming,
  text: AsyncIterable<string>,
): Promise<Received> {
  await database.autocommit((tx) => insertFile(tx, incoming));
  const settled = new Map<string, Settled>();
  const totals: SettlementTotal[] = [];
  let until: Date | null = null;
  let number = 0;
  let claimed = 0;
  let pending: PlacedLine[] = [];
  for await (const record of readSettlement(text)) {
    if (record.record === "file") {
      if (record.day !== incoming.day) throw wrongDay(record.day, incoming.day);
      until = record.until;
    } else if (record.record === "line") {
      number += 1;
      settled.set(record.currency, addLine(settled.get(record.currency), record));
      pending.push(assignObject(record, number));
      if (pending.length === lineBatchSize) pending = await write(pending);
    } else if (record.record === "total") totals.push(record);
    else claimed = record.lines;
  }
  if (pending.length > 0) await write(pending);
  const sums = [...settled.values()];
  const end = until as unknown as Date;
  const mismatch = mismatchOf(sums, totals, { lines: number, claimed });
  await database.transaction(async (tx) => {
    await removeLines(tx, incoming.scope, await removeOthers(tx, incoming));
    await completeFile(tx, incoming, { until: end, mismatch });
    await replaceCosts(tx, incoming);
  });
  return { kind: "received", until: end, settled: sums };

  async function write(lines: readonly PlacedLine[]): Promise<PlacedLine[]> {
    await database.transaction(async (tx) => {
      await lockFile(tx, incoming);
      await insertLines(tx, incoming, lines);
    });
    return [];
  }
}

const nouns: Readonly<Record<SettlementType, { noun: Noun; prefix: string | null }>> = {
  capture: { noun: "charge", prefix: "ch" },
  capture_reversal: { noun: "charge", prefix: "ch" },
  refund: { noun: "refund", prefix: "op" },
  refund_return: { noun: "refund", prefix: "op" },
  // Settlement lines identify a dispute by the network's case number.
  chargeback: { noun: "dispute", prefix: null },
  chargeback_return: { noun: "dispute", prefix: null },
  second_chargeback: { noun: "dispute", prefix: null },
};

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function assignObject(line: SettlementLine, number: number): PlacedLine {
  const { noun, prefix } = nouns[line.type];
  const id = prefix && parseId(prefix, line.reference);
  const own = id ? uuidOf(id) : prefix === null && uuidForm.test(line.reference);
  const subject = own === true ? line.reference : own || derivedUuid(line.reference);
  return { ...line, number, noun, subject };
}

/** Returns a UUID derived from a reference that is not one of our IDs. */
function derivedUuid(reference: string): string {
  const hex = createHash("sha256").update(reference).digest("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}

/** Returns a description of how the file's totals differ from its lines, or null if they agree. */
function mismatchOf(
  sums: readonly Settled[],
  totals: readonly SettlementTotal[],
  { lines, claimed }: { readonly lines: number; readonly claimed: number },
): string | null {
  if (lines !== claimed) return `the file states ${claimed} lines but has ${lines}.`;
  const currencies = new Set([...sums, ...totals].map(({ currency }) => currency));
  for (const currency of currencies) {
    const sum = sums.find((one) => one.currency === currency);
    const total = totals.find((one) => one.currency === currency);
    const actual = {
      lines: sum?.lines ?? 0,
      amountMinor: (sum?.net ?? 0) + (sum?.fees ?? 0),
      feeMinor: sum?.fees ?? 0,
    };
    const stated = {
      lines: total?.lines ?? 0,
      amountMinor: total?.amountMinor ?? 0,
      feeMinor: total?.feeMinor ?? 0,
    };
    if (!isDeepStrictEqual(actual, stated)) {
      return `for ${currency.toUpperCase()}, the file states ${described(stated, currency)} but has ${described(actual, currency)}.`;
    }
  }
  return null;
}

type LineSums = { readonly lines: number; readonly amountMinor: number; readonly feeMinor: number };

function described({ lines, amountMinor, feeMinor }: LineSums, currency: string): string {
  const [amount, fees] = [decimalText(amountMinor, currency), decimalText(feeMinor, currency)];
  return `${amount} in ${lines} ${lines === 1 ? "line" : "lines"} and ${fees} of fees`;
}

function wrongDay(fileDay: string, requestedDay: string): SettlementFileUnreadable {
  return new SettlementFileUnreadable(
    `The file is for ${fileDay}, but the file for ${requestedDay} was requested.`,
  );
}
