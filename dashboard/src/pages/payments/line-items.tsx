import type { LineItem } from "@florin/contract/checkout-session.ts";
import { GivenText } from "../../components/given-text.tsx";
import { Money } from "../../components/money.tsx";

/** The lines of an order with their totals. */
export function LineItems({ items, currency }: { items: readonly LineItem[]; currency: string }) {
  return (
    <ul className="grid gap-1.5">
      {items.map(({ name, quantity, amount }, index) => (
        <li key={index} className="flex items-baseline gap-3">
          <span className="min-w-0 wrap-anywhere">
            <span className="text-ink-soft tabular-nums">{quantity} ×</span>{" "}
            <GivenText text={name} />
          </span>
          <span className="ml-auto shrink-0">
            <Money amount={quantity * amount} currency={currency} />
          </span>
        </li>
      ))}
    </ul>
  );
}
