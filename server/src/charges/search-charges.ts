import type { Tx } from "../database/sql.ts";
import { firstUuidAt, uuidOf } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";
import type { Charge } from "./charge.ts";
import { amendBlock, insertBlocks, lockSearchedTo, readUnsearched } from "./charge-search.sql.ts";
import { blockSize, hashWords, wordsOfCharge } from "./charge-search.ts";

/**
 * A charge's id is drawn a moment before it is written. Only those that are older than this are entered, for one that
 * came after its block was made would not be found.
 */
export const searchDelayMs = 2 * 60_000;

/** Blocks that are made in one transaction. */
const blocksAtOnce = 16;

/** Enters a merchant's next charges into the search. Answers whether there is more. */
export async function enterCharges(tx: Tx, owner: Owner, now: Date): Promise<boolean> {
  const before = firstUuidAt(new Date(now.getTime() - searchDelayMs));
  const after = await lockSearchedTo(tx, owner);
  const charges = await readUnsearched(tx, owner, after, before, blocksAtOnce * blockSize);
  const whole = Math.floor(charges.length / blockSize);
  if (whole === 0) return false;
  const blocks = Array.from({ length: whole }, (_, index) =>
    blockOf(owner, charges.slice(index * blockSize, (index + 1) * blockSize)),
  );
  await insertBlocks(tx, owner, blocks);
  return whole === blocksAtOnce;
}

function blockOf(owner: Owner, charges: readonly Charge[]) {
  const words = new Set(charges.flatMap((charge) => wordsOfCharge(searchedFacts(charge))));
  return {
    first: uuidOf((charges[0] as Charge).id),
    last: uuidOf((charges.at(-1) as Charge).id),
    words: hashWords(owner, [...words]),
  };
}

/** Enters the words that a charge has got by a change of its metadata. */
export async function enterChange(tx: Tx, charge: Charge): Promise<void> {
  const words = hashWords(charge.owner, wordsOfCharge(searchedFacts(charge)));
  await amendBlock(tx, charge.owner, charge.id, words);
}

function searchedFacts(charge: Charge) {
  return { ...charge, email: charge.risk.facts?.email ?? null };
}
