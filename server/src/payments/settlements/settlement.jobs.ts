import type { ConnectionDirectory } from "../../acquiring/connections/connection-directory.ts";
import {
  listUnappliedReports,
  markReportApplied,
  type UnappliedReport,
} from "../../acquiring/connections/settlement-report.sql.ts";
import type { Clock } from "../../core/clock.ts";
import type { AccountId, PayoutId } from "../../core/ids.ts";
import type { Currency } from "../../core/money.ts";
import { lockAccount } from "../../identity/accounts/account.sql.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { commitTransition } from "../commit/commit-transitions.sql.ts";
import { recordReportedPayout } from "../payouts/create-payout.ts";
import {
  listAccounts,
  listPaidOut,
  lockMatching,
  matchBatchSize,
  matchLines,
  newSettlement,
  type PaidOut,
  readOwed,
  readPosted,
  readShares,
} from "./settlement.sql.ts";
import { dividePayout, noShare, postSettlement, unposted } from "./settlement.ts";

export type SettlementDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly directory: Pick<ConnectionDirectory, "assignmentsAt">;
  readonly wakeDeliveries: () => void;
};

const batchSize = 10;

/**
 * Applies the stored reports of live acquirers: matches their lines with our charges, and posts the share of each
 * account. Every step can be repeated, so that a report is completed after a crash, by any server.
 */
export function startSettlements(deps: SettlementDeps, background: Background): Loop {
  return startLoop({
    name: "settlement reports",
    everyMs: 1_000,
    background,
    async work(signal) {
      const reports = await listUnappliedReports(deps.database.read, batchSize);
      for (const report of reports) {
        if (signal.aborted) break;
        // An error in one report must not stop the others.
        try {
          await applyReport(deps, report);
        } catch (error) {
          background.onError(`settlement report ${report.merchantAccount} ${report.batch}`, error);
        }
      }
      return false;
    },
  });
}

async function applyReport(deps: SettlementDeps, report: UnappliedReport): Promise<void> {
  const { database, directory, clock } = deps;
  const assignments = directory.assignmentsAt(report.connection, report.merchantAccount);
  const assigned = [...new Set(assignments.map(({ account }) => account))].sort();
  await database.transaction(async (tx) => {
    await lockMatching(tx, report);
    // The first line of the file has the names of the columns.
    for (let first = 1; first <= report.lines + 1; first += matchBatchSize) {
      await matchLines(tx, report, assigned, first);
    }
  });
  const accounts = await listAccounts(database.read, report);
  const paidOut = await listPaidOut(database.read, report);
  const paid = await dividePayouts(deps, report, {
    accounts,
    isOnlyAccount: assigned.length === 1,
    paidOut,
  });
  for (const account of accounts) {
    const paidTo = new Map(
      paidOut.map((one) => [
        one.currency,
        { ...one, amountMinor: paid.get(`${account} ${one.currency}`) ?? 0 },
      ]),
    );
    await database.transaction((tx) => postShares(tx, account, report, paidTo, clock.now()));
  }
  await database.autocommit((tx) => markReportApplied(tx, report, clock.now()));
  deps.wakeDeliveries();
}

/** Returns the part of each payout for each account, by account and currency. */
async function dividePayouts(
  { database }: SettlementDeps,
  report: UnappliedReport,
  {
    accounts,
    isOnlyAccount,
    paidOut,
  }: {
    readonly accounts: readonly AccountId[];
    readonly isOnlyAccount: boolean;
    readonly paidOut: readonly PaidOut[];
  },
): Promise<ReadonlyMap<string, number>> {
  const shares = await Promise.all(
    accounts.map(async (account) => {
      const scope = { account, livemode: true };
      const [owed, share] = await Promise.all([
        readOwed(database.read, scope, report),
        readShares(database.read, account, report),
      ]);
      return { account, owed, share };
    }),
  );
  const paid = new Map<string, number>();
  for (const { currency, amountMinor } of paidOut) {
    const owed = shares.map(
      (one) => (one.owed.get(currency) ?? 0) + (one.share.get(currency)?.net ?? 0),
    );
    // The whole payout belongs to the only account, also if earlier reports are missing.
    const parts = isOnlyAccount ? [amountMinor] : dividePayout(amountMinor, owed);
    for (const [index, { account }] of shares.entries()) {
      paid.set(`${account} ${currency}`, parts[index] ?? 0);
    }
  }
  return paid;
}

/** Posts what the report adds to the account's ledger, and records the payouts. Nothing if everything is posted. */
async function postShares(
  tx: Tx,
  account: AccountId,
  report: UnappliedReport,
  paidOut: ReadonlyMap<Currency, PaidOut>,
  now: Date,
): Promise<void> {
  const scope = { account, livemode: true };
  // Serializes the servers that apply the report.
  await lockAccount(tx, account);
  const shares = await readShares(tx, account, report);
  const posted = await readPosted(tx, scope, report);
  const { connection, merchantAccount, batch } = report;
  for (const currency of new Set([...shares.keys(), ...posted.keys(), ...paidOut.keys()])) {
    const { parts, ...before } = posted.get(currency) ?? { parts: 0, ...noShare };
    const payout = paidOut.get(currency);
    const target = { ...noShare, ...shares.get(currency), paid: payout?.amountMinor ?? 0 };
    const rest = unposted(target, before);
    if (rest === null) continue;
    const { settlement, entries } = postSettlement(
      { ...rest, scope, connection, merchantAccount, batch, currency, part: parts + 1 },
      now,
    );
    const recorded = await commitTransition(tx, {
      scope,
      change: newSettlement(settlement),
      entries,
    });
    if (!recorded || !payout || settlement.paid === 0) continue;
    const id: PayoutId = `po_${settlement.id.slice("stl_".length)}`;
    const description = `Paid by the acquirer with batch ${batch} of ${merchantAccount}.`;
    const price = { amountMinor: settlement.paid, currency };
    await recordReportedPayout(tx, { id, scope, price, description, paidAt: payout.at }, now);
  }
}
