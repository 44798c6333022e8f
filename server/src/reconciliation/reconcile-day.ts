import type { SettlementSource } from "../acquiring/processor.ts";
import { newId } from "../core/ids.ts";
import type { Scope } from "../core/scope.ts";
import { dayMs } from "../core/utc-day.ts";
import type { Sql } from "../platform/database/sql.ts";
import { compare, cutOffMs, type Found } from "./compare.ts";
import { closeOthers, storeFound } from "./difference.sql.ts";
import {
  listDifferingCharges,
  listDifferingDisputes,
  listDifferingRefunds,
} from "./differing-objects.sql.ts";
import { type ReceiveDeps, type Received, receiveFile } from "./receive-settlement-file.ts";
import { storeReconciliation } from "./reconciliation.sql.ts";
import { type Outcome, outcomeOf, type Reconciliation } from "./reconciliation.ts";
import { withReconciliationLock } from "./reconciliation-lock.ts";
import { listMismatches, readSettledUntil } from "./settlement.sql.ts";

/**
 * The length of the period in which all objects are compared. The period ends with the newest file, and is longer than
 * the validity of an authorization plus the duration of its status inquiries.
 */
const windowMs = 14 * dayMs;

/**
 * The number of differences that one SQL statement stores. SQL statements have a timeout, and a day whose file was lost
 * can have hundreds of thousands of differences.
 */
const differenceBatchSize = 5_000;

/**
 * Reconciles a day: downloads its settlement file and compares all settlement files with payments, ledger and events.
 * Idempotent and safe to call concurrently.
 */
export async function reconcileDay(
  deps: ReceiveDeps,
  processor: SettlementSource,
  scope: Scope,
  day: string,
): Promise<Reconciliation> {
  return withReconciliationLock(deps.database, scope, (read) =>
    reconcileUnderLock(deps, read, processor, scope, day),
  );
}

async function reconcileUnderLock(
  deps: ReceiveDeps,
  read: Sql,
  processor: SettlementSource,
  scope: Scope,
  day: string,
): Promise<Reconciliation> {
  const received = await receiveFile(deps, processor, scope, day);
  const now = deps.clock.now();
  const started = { id: newId("rec", now), scope, day, processor: processor.name, checkedAt: now };
  if (received.kind !== "received") {
    const outcome = withoutFile(received);
    return deps.database.autocommit((tx) => storeReconciliation(tx, { ...started, outcome }));
  }

  const found = await findDifferences(read, scope, now, processor.settlesWithinMs);
  const outcome = outcomeOf(found, received);
  return deps.database.transaction(async (tx) => {
    const reconciliation = await storeReconciliation(tx, { ...started, outcome });
    for (let stored = 0; stored < found.length; stored += differenceBatchSize) {
      const some = found.slice(stored, stored + differenceBatchSize);
      await storeFound(tx, scope, reconciliation.id, some, now);
    }
    await closeOthers(tx, scope, reconciliation.id, found);
    return reconciliation;
  });
}

/**
 * Returns the differences of all recent objects, and of earlier objects that have a line in a recent file or an open
 * difference. Includes files whose totals differ from their lines.
 */
async function findDifferences(
  read: Sql,
  scope: Scope,
  now: Date,
  settlesWithinMs: number,
): Promise<readonly Found[]> {
  const until = (await readSettledUntil(read, scope)) ?? now;
  const window = {
    now,
    from: new Date(until.getTime() - windowMs),
    until,
    settledBefore: new Date(until.getTime() - settlesWithinMs - cutOffMs),
  };
  const uneven = [
    ...(await listDifferingCharges(read, scope, window)),
    ...(await listDifferingRefunds(read, scope, window)),
    ...(await listDifferingDisputes(read, scope, window)),
  ];
  const faulty = await listMismatches(read, scope);
  return [
    ...faulty.map(({ file, day, mismatch }) => faultyFile(file, day, mismatch)),
    ...uneven.flatMap((subject) => compare(subject, until)),
  ];
}

function faultyFile(file: string, day: string, mismatch: string): Found {
  return {
    kind: "totals_differ",
    status: "open",
    noun: "file",
    subject: file,
    reference: day,
    payment: null,
    acquirer: { state: mismatch, amount: 0, currency: null },
    ledger: null,
  };
}

function withoutFile(received: Exclude<Received, { kind: "received" }>): Outcome {
  const status = received.kind === "missing" ? "file_missing" : "file_unreadable";
  return { status, message: received.message };
}
