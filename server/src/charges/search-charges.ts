import type { Tx } from "../database/sql.ts";
import { createdAt, firstUuidAt } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";
import type { Charge } from "./charge.ts";
import { amendBlock, insertBlocks, lockSearchedTo, readUnsearched } from "./charge-search.sql.ts";
import { blockSize, hashWords, searchedFacts, wordsOfCharge } from "./charge-search.ts";

/**
 * A charge's id is drawn a moment before it is written. Only those that are older than this are entered, so that nearly
 * none comes after its block was made; one that does is entered by itself when it is settled (`cameLate`).
 */
export const searchDelayMs = 2 * 60_000;

/** Blocks that are made in one transaction: few, for the service is answering requests meanwhile. */
const blocksAtOnce = 4;

/** Enters a merchant's next charges into the search. Answers whether there is more. */
export async function enterCharges(tx: Tx, owner: Owner, now: Date): Promise<boolean> {
  const before = firstUuidAt(new Date(now.getTime() - searchDelayMs));
  const after = await lockSearchedTo(tx, owner);
  const charges = await readUnsearched(tx, owner, after, before, blocksAtOnce * blockSize);
  const whole = Math.floor(charges.length / blockSize);
  if (whole === 0) return false;
  const blocks = Array.from({ length: whole }, (_, index) => {
    const block = charges.slice(index * blockSize, (index + 1) * blockSize);
    return {
      first: block[0]?.uuid as string,
      last: block.at(-1)?.uuid as string,
      words: hashWords(owner, block.flatMap(wordsOfCharge)),
    };
  });
  await insertBlocks(tx, owner, blocks);
  return whole === blocksAtOnce;
}

/** Enters the words that a charge has got by a change of its metadata, or by coming when its block had been made. */
export async function enterChange(tx: Tx, charge: Charge): Promise<void> {
  const words = hashWords(charge.owner, wordsOfCharge(searchedFacts(charge)));
  await amendBlock(tx, charge.owner, charge.id, words);
}

/** Whether the charge may have been written after its block was made: a server that stood still does that. */
export function cameLate({ id }: Charge, now: Date): boolean {
  return now.getTime() - createdAt(id).getTime() > searchDelayMs;
}
