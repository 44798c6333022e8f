import type { WalletType } from "@florin/contract/payment-method.ts";
import { walletNames } from "@florin/contract/wallet-names.ts";
import { brandName } from "./brand-name.ts";

/**
 * The parts of a card that may be shown: its brand and last four digits. If only the acquirer can decrypt the token of
 * the card's wallet, the card has neither until the acquirer has reported them.
 */
export function Card({
  brand,
  last4,
  wallet,
}: {
  brand: string;
  last4: string | null;
  wallet?: WalletType | undefined;
}) {
  const name = brand === "unknown" && wallet !== undefined ? walletNames[wallet] : brandName(brand);
  if (last4 === null) return <span className="sm:whitespace-nowrap">{name}</span>;
  return (
    <span className="sm:whitespace-nowrap">
      {name}{" "}
      <span className="whitespace-nowrap">
        <span aria-hidden="true">••••</span>
        <span className="sr-only"> ending in </span> <span className="tabular-nums">{last4}</span>
      </span>
    </span>
  );
}
