import type { MetricsPoint, PaymentMetrics } from "@florin/contract/metrics.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { formatMoney } from "../../components/amount.ts";
import { Chart, type Point } from "../../components/chart.tsx";
import { fieldStyle } from "../../components/field.tsx";
import type { Range } from "./date-range.tsx";

const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat();

/** Charts of volume, number of payments and success rate. */
export function PaymentCharts({ metrics, range }: { metrics: PaymentMetrics; range: Range }) {
  const [{ currency: chosen }, change] = useUrlQuery();
  const { total, data } = metrics;
  // Sorted by the number in minor units, because there is no exchange rate between the currencies.
  const currencies = total.volume
    .toSorted((one, other) => other.amount - one.amount)
    .map(({ currency }) => currency);
  const currency = currencies.find((one) => one === chosen) ?? currencies[0] ?? "usd";
  const volumeOf = ({ volume }: Pick<MetricsPoint, "volume">) =>
    volume.find((one) => one.currency === currency)?.amount ?? 0;
  const series = (of: (point: MetricsPoint) => number | null): Point[] =>
    data.map((point) => ({ at: point.start, value: of(point) }));
  const money = (amount: number) => formatMoney(amount, currency);
  return (
    <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
      <div className="lg:col-span-2">
        <Chart
          title="Volume"
          total={
            <span className="flex items-baseline gap-2">
              {money(volumeOf(total))}
              {currencies.length > 1 && (
                <span className="w-20">
                  <select
                    aria-label="Currency"
                    value={currency}
                    onChange={({ target }) => change({ currency: target.value })}
                    className={`${fieldStyle} h-7 text-sm font-normal`}
                  >
                    {currencies.map((one) => (
                      <option key={one} value={one}>
                        {one.toUpperCase()}
                      </option>
                    ))}
                  </select>
                </span>
              )}
            </span>
          }
          kind="bars"
          series={{ label: "Volume", points: series(volumeOf) }}
          format={money}
          formatAt={range.formatAt}
        />
      </div>
      <Chart
        title="Success rate"
        total={total.success_rate === null ? "–" : percent.format(total.success_rate)}
        kind="line"
        max={1}
        series={{ label: "Success rate", points: series(({ success_rate }) => success_rate) }}
        format={(rate) => percent.format(rate)}
        formatAt={range.formatAt}
      />
      <Chart
        title="Payments"
        total={whole.format(total.payments)}
        kind="bars"
        series={{ label: "Payments", points: series(({ payments }) => payments) }}
        format={(count) => whole.format(count)}
        formatAt={range.formatAt}
      />
    </div>
  );
}
