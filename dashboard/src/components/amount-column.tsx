import { Money } from "./money.tsx";
import type { Column } from "./table.tsx";

/** A table column with the amount and currency of each row. */
export const amountColumn: Column<{ readonly amount: number; readonly currency: string }> = {
  title: "Amount",
  align: "end",
  cell: ({ amount, currency }) => (
    <span className="font-medium">
      <Money amount={amount} currency={currency} named />
    </span>
  ),
};
