import { bearsCode, formatMoney } from "./amount.ts";

type Props = { readonly amount: number; readonly currency: string; readonly named?: boolean };

/** An amount with digits aligned to those above and below. `named` adds the currency code if the format lacks it. */
export function Money({ amount, currency, named = false }: Props) {
  return (
    <span className="whitespace-nowrap tabular-nums">
      {formatMoney(amount, currency)}
      {named && !bearsCode(currency) && (
        <span className="text-ink-faint max-sm:block max-sm:text-xs @max-md:block @max-md:text-xs">
          {" "}
          {currency.toUpperCase()}
        </span>
      )}
    </span>
  );
}

/** The currency code beside a heading with an amount, if the format lacks it. */
export function CodeOf({ currency }: { currency: string }) {
  if (bearsCode(currency)) return null;
  return <span className="text-lg text-ink-soft">{currency.toUpperCase()}</span>;
}
