import type { Payout } from "@florin/contract/balance.ts";

/** Returns the payout's description, or how it was created if it has none. */
export function payoutDescription({ description, automatic }: Payout): string {
  return description ?? (automatic ? "Daily payout" : "Manual payout");
}
