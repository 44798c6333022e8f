import { Money } from "./money.tsx";
import type { Column } from "./table.tsx";

/** What a row is about, where rows are of money. */
export const amountColumn: Column<{ readonly amount: number; readonly currency: string }> = {
  title: "Amount",
  cell: ({ amount, currency }) => (
    <span className="font-medium">
      <Money amount={amount} currency={currency} named />
    </span>
  ),
};
