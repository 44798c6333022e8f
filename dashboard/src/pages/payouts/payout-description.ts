import type { Payout } from "@florin/contract/balance.ts";

/** Returns the payout's own description, or else what created it. */
export function payoutDescription(payout: Payout): string {
  return payout.description ?? payoutType(payout);
}

export function payoutType({ automatic }: Payout): string {
  return automatic ? "Daily payout" : "Manual payout";
}
