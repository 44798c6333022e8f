import { containsCode, formatMoney } from "./amount.ts";

type Props = {
  readonly amount: number;
  readonly currency: string;
  /** Adds the currency code if the format does not contain it. */
  readonly named?: boolean;
  /** Shows the currency code below the amount where there is little space, for columns of tables. */
  readonly stacked?: boolean;
};

/** An amount whose digits align with those above and below. */
export function Money({ amount, currency, named = false, stacked = false }: Props) {
  return (
    <span className="whitespace-nowrap tabular-nums">
      <bdi>{formatMoney(amount, currency)}</bdi>
      {named && !containsCode(currency) && (
        <span
          className={`text-ink-faint ${stacked ? "max-sm:block max-sm:text-xs @max-md:block @max-md:text-xs" : ""}`}
        >
          {" "}
          {currency.toUpperCase()}
        </span>
      )}
    </span>
  );
}

/** The currency code beside a heading with an amount. Renders nothing if the format already contains it. */
export function CurrencyCode({ currency }: { currency: string }) {
  if (containsCode(currency)) return null;
  return <span className="text-lg text-ink-soft">{currency.toUpperCase()}</span>;
}
