import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";

/**
 * Returns the number of repetitions of a randomized or repetitive test. `npm test` runs the short dose. `npm run prove`
 * runs the long dose, or the share of it that `--dose` specifies, but at least the short dose. A test file that is run
 * directly accepts the same flags, and a flag for each count:
 *
 *     node server/test/simulation/crash.api.test.ts --dose 0.5 --seed 7
 *     node server/test/simulation/crash.api.test.ts --rounds 1000
 */
export function dose(name: string, { short, long }: { short: number; long: number }): number {
  const wanted = option(name);
  if (wanted !== null) return numberFrom(name, wanted);
  const share = option("dose") ?? process.env.FLORIN_TEST_DOSE ?? null;
  return share === null ? short : Math.max(short, Math.ceil(long * numberFrom("dose", share)));
}

/**
 * The seed of the random generators. `npm test` always passes the same seed, so that a new failure comes from a new
 * change. `npm run prove` passes a random seed.
 */
export const seed = numberFrom(
  "seed",
  option("seed") ?? process.env.FLORIN_TEST_SEED ?? String(randomInt(2 ** 31)),
);

/** Returns `count` of the items, evenly spaced in the list. The seed selects the first one. */
export function sample<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.max(1, items.length / count);
  const from = seed % Math.ceil(step);
  return items.filter(
    (_, index) => Math.floor((index - from) / step) !== Math.floor((index - 1 - from) / step),
  );
}

/** Returns the value of a flag of this process, or null. */
function option(name: string): string | null {
  const { values } = parseArgs({
    strict: false,
    options: { [name]: { type: "string" } },
  });
  const value = values[name];
  return typeof value === "string" ? value : null;
}

function numberFrom(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number) || number < 0) {
    throw new Error(`\`${name}\` must be a number that is not negative. Got '${text}'.`);
  }
  return number;
}
