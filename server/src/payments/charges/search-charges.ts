import { type ChargeId, createdAt, firstUuidAt } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { readCharges } from "./charge.sql.ts";
import type { Charge } from "./charge.ts";
import {
  amendBlock,
  insertBlocks,
  lockSearchedTo,
  readUnsearched,
  takeLateCharges,
} from "./charge-search.sql.ts";
import { blockSize, hashWords, searchFields, wordsOfCharge } from "./charge-search.ts";

/**
 * The minimum age of an indexed charge. A charge's ID is generated a moment before it is written, so with this delay
 * almost none is written after its block was built. One that is gets indexed separately after its outcome is recorded
 * (`isLate`).
 */
export const searchDelayMs = 2 * 60_000;

/** The number of blocks per transaction, small because the service handles requests at the same time. */
const blocksAtOnce = 4;

/** Indexes a merchant's next charges. Returns whether there are more. */
export async function enterCharges(tx: Tx, scope: Scope, now: Date): Promise<boolean> {
  const before = firstUuidAt(new Date(now.getTime() - searchDelayMs));
  const after = await lockSearchedTo(tx, scope);
  const charges = await readUnsearched(tx, scope, after, before, blocksAtOnce * blockSize);
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
  return whole === blocksAtOnce;
}

/** Indexes the words that a charge gained by a metadata change or by being written after its block was built. */
export async function enterChange(tx: Tx, charge: Charge): Promise<void> {
  const words = hashWords(charge.scope, wordsOfCharge(searchFields(charge)));
  await amendBlock(tx, charge.scope, charge.id, words);
}

/**
 * Returns whether the charge may have been written after its block was built, for example by a server that was
 * suspended. The transition that records its outcome then leaves it for `enterLateCharges`.
 */
export function isLate(id: ChargeId, now: Date): boolean {
  return now.getTime() - createdAt(id).getTime() > searchDelayMs;
}

/** The number of late charges per transaction. */
const lateAtOnce = 64;

/** Indexes late charges of all merchants. Returns whether there may be more. */
export async function enterLateCharges(tx: Tx): Promise<boolean> {
  const late = await takeLateCharges(tx, lateAtOnce);
  for (const charge of await readCharges(tx, late)) {
    if (charge) await enterChange(tx, charge);
  }
  return late.length === lateAtOnce;
}
