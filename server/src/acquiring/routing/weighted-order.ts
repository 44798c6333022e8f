import { createHash } from "node:crypto";
import type { RoutingTarget } from "./routing-rule.ts";

/**
 * Returns the targets of a split in the order in which they are tried for the payment. Each target is first for a share
 * of the payments that is proportional to its weight. The order depends only on the targets and the key, so every
 * process returns the same order for a payment. If a target becomes unavailable, only its payments move, and they are
 * divided among the others by weight. Without a key, the heaviest target is first.
 *
 * Uses weighted rendezvous hashing: the target with the highest weight / -ln(hash) is first, for a hash between 0 and
 * 1.
 */
export function weightedOrder(
  targets: readonly RoutingTarget[],
  key: string | null,
): readonly RoutingTarget[] {
  if (targets.length === 1) return targets;
  if (key === null) return targets.toSorted((one, other) => other.weight - one.weight);
  return targets
    .map((target) => ({ target, score: target.weight / -Math.log(hashOf(key, target)) }))
    .sort((one, other) => other.score - one.score)
    .map(({ target }) => target);
}

/** Returns a number between 0 and 1, both exclusive. */
function hashOf(key: string, { assignment }: RoutingTarget): number {
  const bits = createHash("sha256").update(`${key} ${assignment}`).digest().readUIntBE(0, 6);
  return (bits + 0.5) / 2 ** 48;
}
