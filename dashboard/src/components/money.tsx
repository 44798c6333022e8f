import { containsCode, formatMoney } from "./amount.ts";

type Props = {
  readonly amount: number;
  readonly currency: string;
  /** Adds the currency code if the format does not contain it. */
  readonly named?: boolean;
};

/** An amount whose digits align with those above and below. */
export function Money({ amount, currency, named = false }: Props) {
  return (
    <span className="whitespace-nowrap tabular-nums">
      <bdi>{formatMoney(amount, currency)}</bdi>
      {named && !containsCode(currency) && (
        // A narrow table shows the code below the amount.
        <span className="text-ink-faint @max-md/table:block @max-md/table:text-xs">
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
