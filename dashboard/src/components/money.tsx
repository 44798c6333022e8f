import { formatMoney } from "./amount.ts";

type Props = { readonly amount: number; readonly currency: string; readonly named?: boolean };

/** An amount, its digits in line with those above and below; `named` adds the currency's code. */
export function Money({ amount, currency, named = false }: Props) {
  return (
    <span className="whitespace-nowrap tabular-nums">
      {formatMoney(amount, currency)}
      {named && (
        <span className="text-ink-faint max-sm:hidden @max-md:hidden">
          {" "}
          {currency.toUpperCase()}
        </span>
      )}
    </span>
  );
}
