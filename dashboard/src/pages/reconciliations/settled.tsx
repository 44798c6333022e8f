import type { Reconciliation } from "@florin/contract/reconciliation.ts";
import { Money } from "../../components/money.tsx";

/** The acquirer's payout for the day in each currency. */
export function Settled({ settled }: { settled: Reconciliation["settled"] }) {
  if (settled.length === 0) return <span className="text-ink-faint">—</span>;
  return (
    <span className="grid">
      {settled.map(({ currency, net }) => (
        <Money key={currency} amount={net} currency={currency} named />
      ))}
    </span>
  );
}
