import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../database/database.ts";
import type { Tx } from "../database/sql.ts";
import { limitTransactions, maxPauseMs } from "./limit-transactions.ts";

/** Node ignores fractions of a millisecond in a delay, and a timer may fire up to a millisecond early. */
const toleranceMs = 2;

/** Returns a limited database whose transactions take at least `durationMs`, and the times at which each ran. */
function timedDatabase(durationMs: number) {
  const ran: { readonly from: number; readonly to: number }[] = [];
  const run = async <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> => {
    const from = performance.now();
    try {
      await sleep(durationMs);
      return await work(null as unknown as Tx);
    } finally {
      ran.push({ from, to: performance.now() });
    }
  };
  const database = { transaction: run, autocommit: run } as Database;
  return { ran, database: limitTransactions(database) };
}

test("the transactions of all jobs run one at a time, with pauses of the same length, in the order of their calls", async () => {
  const { ran, database } = timedDatabase(20);
  const order: number[] = [];
  const calls = [1, 2, 3, 4].map((number) => {
    const call = number % 2 ? database.transaction : database.autocommit;
    return call(async () => void order.push(number));
  });
  await Promise.all(calls);
  assert.deepEqual(order, [1, 2, 3, 4]);
  for (const [index, { from }] of ran.entries()) {
    const previous = ran[index - 1];
    if (!previous) continue;
    const pauseMs = Math.min(previous.to - previous.from, maxPauseMs);
    assert.ok(
      from - previous.to >= pauseMs - toleranceMs,
      "the pause is as long as the transaction",
    );
  }
});

test("a failed transaction does not stop the following ones", async () => {
  const { database } = timedDatabase(1);
  const failed = database.transaction(async () => {
    throw new Error("disk full");
  });
  const next = database.autocommit(async () => "next");
  await assert.rejects(failed, { message: "disk full" });
  assert.equal(await next, "next");
});
