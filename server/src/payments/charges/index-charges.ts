import { type ChargeId, createdAt, firstUuidAt } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { readCharges } from "./charge.sql.ts";
import type { Charge } from "./charge.ts";
import {
  amendBlock,
  dequeueLateCharges,
  insertBlocks,
  lockSearchPosition,
  readUnindexedCharges,
} from "./charge-search.sql.ts";
import { blockSize, hashWords, searchFields, wordsOfCharge } from "./charge-search.ts";

/**
 * The minimum age at which a charge is indexed. A charge ID is generated shortly before the row is inserted, so after
 * this delay nearly every row of a block exists. If a charge is inserted after its block was built, the charge is
 * indexed when its outcome is recorded (`isLate`).
 */
export const searchDelayMs = 2 * 60_000;

/** The number of blocks per transaction. It is small so that indexing does not block the event loop for long. */
const blockBatchSize = 4;

/** Indexes the next blocks of a merchant's charges. Returns whether there may be more. */
export async function indexCharges(tx: Tx, scope: Scope, now: Date): Promise<boolean> {
  const before = firstUuidAt(new Date(now.getTime() - searchDelayMs));
  const after = await lockSearchPosition(tx, scope);
  const charges = await readUnindexedCharges(tx, scope, after, before, blockBatchSize * blockSize);
  const whole = Math.floor(charges.length / blockSize);
  if (whole === 0) return false;
  const blocks = Array.from({ length: whole }, (_, index) => {
    const block = charges.slice(index * blockSize, (index + 1) * blockSize);
    return {
      first: block[0]?.uuid as string,
      last: block.at(-1)?.uuid as string,
      words: hashWords(scope, block.flatMap(wordsOfCharge)),
    };
  });
  await insertBlocks(tx, scope, blocks);
  return whole === blockBatchSize;
}

/** Indexes a charge again after a metadata change, or because it was inserted after its block was built. */
export async function indexChangedCharge(tx: Tx, charge: Charge): Promise<void> {
  const words = hashWords(charge.scope, wordsOfCharge(searchFields(charge)));
  await amendBlock(tx, charge.scope, charge.id, words);
}

/**
 * Returns whether the charge may have been inserted after its block was built, for example by a server that was
 * suspended. If so, the transition that records its outcome adds it to the queue of `indexLateCharges`.
 */
export function isLate(id: ChargeId, now: Date): boolean {
  return now.getTime() - createdAt(id).getTime() > searchDelayMs;
}

/** The number of late charges per transaction. */
const lateChargeBatchSize = 64;

/** Indexes late charges of all merchants. Returns whether there may be more. */
export async function indexLateCharges(tx: Tx): Promise<boolean> {
  const late = await dequeueLateCharges(tx, lateChargeBatchSize);
  for (const charge of await readCharges(tx, late)) {
    if (charge) await indexChangedCharge(tx, charge);
  }
  return late.length === lateChargeBatchSize;
}
