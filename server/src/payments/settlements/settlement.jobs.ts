import assert from "node:assert/strict";
import type { ConnectionDirectory } from "../../acquiring/connections/connection-directory.ts";
import {
  hasAllLines,
  listDueReports,
  lockMatching,
  lockUnchangedReport,
  markReportApplied,
  type ReportKey,
  recordReportFailure,
  type UnappliedReport,
} from "../../acquiring/connections/settlement-report.sql.ts";
import type { Clock } from "../../core/clock.ts";
import type { AccountId, PayoutId } from "../../core/ids.ts";
import { type Currency, moneyText } from "../../core/money.ts";
import { lockAccount } from "../../identity/accounts/account.sql.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { commitTransition } from "../commit/commit-transitions.sql.ts";
import { recordReportedPayout } from "../payouts/create-payout.ts";
import {
  listPaidOut,
  matchBatchSize,
  matchLines,
  newSettlement,
  type PaidOut,
  readOwed,
  readPosted,
  readShares,
} from "./settlement.sql.ts";
import {
  dividePayout,
  noShare,
  postSettlement,
  retryDelayMs,
  type Share,
  unposted,
} from "./settlement.ts";

export type SettlementDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly directory: Pick<ConnectionDirectory, "assignmentsAt">;
  readonly wakeDeliveries: () => void;
  readonly log: {
    /** Logs that an attempt to apply the report failed, and the time of the next attempt. */
    reportFailed(report: ReportKey, next: Date, error: unknown): void;
  };
};

const batchSize = 10;

/**
 * Starts the job that applies the stored reports of live acquirers. It matches the lines of a report with our charges,
 * and posts the share of each account. Every step can be repeated, so that any server can complete the report after a
 * crash.
 */
export function startSettlements(deps: SettlementDeps, background: Background): Loop {
  return startLoop({
    name: "settlement reports",
    everyMs: 1_000,
    background,
    async work(signal) {
      const reports = await listDueReports(deps.database.read, deps.clock.now(), batchSize);
      for (const report of reports) {
        if (signal.aborted) return false;
        // An error in one report must not stop the others.
        try {
          await applyReport(deps, report);
        } catch (error) {
          await recordFailure(deps, report, error);
        }
      }
      // After a failure, a report is not due again for a while. A full batch therefore means that other reports may be
      // due.
      return reports.length === batchSize;
    },
  });
}

/** The maximum length of a stored error message. */
const maxFailureLength = 500;

/**
 * Delays the next attempt, so that a report whose posting keeps failing does not delay others. An error of this
 * function ends the turn, because the database is then unavailable.
 */
async function recordFailure(
  { database, clock, log }: SettlementDeps,
  report: UnappliedReport,
  error: unknown,
): Promise<void> {
  const dueAt = new Date(clock.now().getTime() + retryDelayMs(report.failures));
  const message = error instanceof Error ? error.message : String(error);
  const failure = message.slice(0, maxFailureLength);
  const recorded = await database.autocommit((tx) =>
    recordReportFailure(tx, report, { failure, dueAt }),
  );
  if (recorded) log.reportFailed(report, dueAt, error);
}

async function applyReport(deps: SettlementDeps, report: UnappliedReport): Promise<void> {
  const { database, directory, clock } = deps;
  const assignments = directory.assignmentsAt(report.connection, report.merchantAccount);
  const accounts = [...new Set(assignments.map(({ account }) => account))].sort();
  await database.transaction(async (tx) => {
    await lockMatching(tx, report);
    // The header of the file is line 1, so the last line has the number `report.lines + 1`.
    for (let first = 1; first <= report.lines + 1; first += matchBatchSize) {
      await matchLines(tx, report, accounts, first);
    }
  });
  await database.transaction(async (tx) => {
    if (!(await lockUnchangedReport(tx, report))) return;
    // If some lines were archived with their payments, posting the rest would reverse amounts that the report has
    // posted before.
    const isPostable = await hasAllLines(tx, report, report.lines);
    const warning = isPostable ? await postReport(tx, report, accounts, clock.now()) : null;
    await markReportApplied(tx, report, { warning, now: clock.now() });
  });
  deps.wakeDeliveries();
}

type AccountShare = {
  readonly account: AccountId;
  /** The amounts of the account in the report, without payouts. */
  readonly shares: ReadonlyMap<Currency, Omit<Share, "paid">>;
  /** The amounts of the batch that are already posted for the account. */
  readonly posted: ReadonlyMap<Currency, Share & { readonly parts: number }>;
  /** The amount that the acquirer owes the account from earlier batches. */
  readonly owed: ReadonlyMap<Currency, number>;
};

/**
 * Posts the report's amounts to the ledgers of the accounts, except amounts that are already posted. Records each
 * account's part of the payouts. One transaction covers all accounts, so that each payout is divided only once. Returns
 * a warning if the recorded payouts exceed the payouts in a corrected report.
 */
async function postReport(
  tx: Tx,
  report: UnappliedReport,
  accounts: readonly AccountId[],
  now: Date,
): Promise<string | null> {
  const known: AccountShare[] = [];
  // The locks serialize the servers that apply the report. All servers lock the accounts in the same order, which
  // prevents deadlocks.
  for (const account of accounts) {
    const scope = { account, livemode: true };
    await lockAccount(tx, account);
    known.push({
      account,
      shares: await readShares(tx, account, report),
      posted: await readPosted(tx, scope, report),
      owed: await readOwed(tx, scope, report),
    });
  }
  const paidOut = new Map((await listPaidOut(tx, report)).map((one) => [one.currency, one]));
  const currencies = new Set([
    ...paidOut.keys(),
    ...known.flatMap(({ shares, posted }) => [...shares.keys(), ...posted.keys()]),
  ]);
  const excess: string[] = [];
  for (const currency of currencies) {
    const payout = paidOut.get(currency);
    const paidMinor = payout?.amountMinor ?? 0;
    const recordedMinor = sum(known.map(({ posted }) => posted.get(currency)?.paid ?? 0));
    if (recordedMinor > paidMinor) {
      const [recorded, reported] = [recordedMinor, paidMinor].map((one) =>
        moneyText(one, currency),
      );
      excess.push(`The recorded payouts are ${recorded}, but the report's payout is ${reported}.`);
    }
    const parts = partsOf(known, currency, Math.max(0, paidMinor - recordedMinor));
    for (const [index, one] of known.entries()) {
      await postShare(tx, report, one, { currency, addedMinor: parts[index] ?? 0, payout }, now);
    }
  }
  return excess.length === 0 ? null : `${excess.join(" ")} ${correctPayout}`;
}

const correctPayout = "Compare the payouts with the bank statement and ask the acquirer.";

/**
 * Divides `addedMinor`, the part of the payout that is not recorded yet, between the accounts. If there is only one
 * account, it gets the whole amount.
 */
function partsOf(
  known: readonly AccountShare[],
  currency: Currency,
  addedMinor: number,
): readonly number[] {
  if (known.length === 1) return [addedMinor];
  const owed = known.map(
    ({ shares, posted, owed }) =>
      (owed.get(currency) ?? 0) +
      (shares.get(currency)?.net ?? 0) -
      (posted.get(currency)?.paid ?? 0),
  );
  return dividePayout(addedMinor, owed);
}

/**
 * Posts an account's amounts in one currency to its ledger, except amounts that are already posted. Records the
 * account's part of the payout.
 */
async function postShare(
  tx: Tx,
  { connection, merchantAccount, batch }: UnappliedReport,
  { account, shares, posted }: AccountShare,
  paid: {
    readonly currency: Currency;
    readonly addedMinor: number;
    readonly payout: PaidOut | undefined;
  },
  now: Date,
): Promise<void> {
  const scope = { account, livemode: true };
  const { currency, addedMinor, payout } = paid;
  const { parts, ...before } = posted.get(currency) ?? { parts: 0, ...noShare };
  const target = { ...noShare, ...shares.get(currency), paid: before.paid + addedMinor };
  const rest = unposted(target, before);
  if (rest === null) return;
  const { settlement, entries } = postSettlement(
    { ...rest, scope, connection, merchantAccount, batch, currency, part: parts + 1 },
    now,
  );
  const change = newSettlement(settlement);
  const recorded = await commitTransition(tx, { scope, change, entries });
  assert(recorded, `${settlement.id} was posted under the account's lock`);
  if (!payout || settlement.paid === 0) return;
  const id: PayoutId = `po_${settlement.id.slice("stl_".length)}`;
  const description = `Paid by the acquirer with batch ${batch} of ${merchantAccount}.`;
  const price = { amountMinor: settlement.paid, currency };
  await recordReportedPayout(tx, { id, scope, price, description, paidAt: payout.at }, now);
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
