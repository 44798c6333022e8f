import type { MetricsPoint, PaymentMetrics } from "@florin/contract/metrics.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { formatCompactMoney, formatMoney } from "../../components/amount.ts";
import { Chart } from "../../components/chart.tsx";
import { fieldStyle } from "../../components/field.tsx";
import { formatCount, formatPercent, formatWholePercent } from "../../components/numbers.ts";
import type { Point } from "../../components/plot.ts";
import { dayAt } from "../../components/time-zone.ts";
import type { Range } from "./date-range.tsx";
import { comparableTotal } from "./period.ts";

type Props = {
  readonly metrics: PaymentMetrics;
  /** The metrics of the previous period. Undefined until they are loaded. */
  readonly previous: PaymentMetrics | undefined;
  readonly range: Range;
};

/** Charts of volume, number of payments and success rate, compared with the previous period. */
export function PaymentCharts({ metrics, previous, range }: Props) {
  const [{ currency: chosen }, change] = useUrlQuery();
  const { total, data } = metrics;
  // Sorted by the amount in minor units, without conversion, because there are no exchange rates.
  const currencies = total.volume
    .toSorted((one, other) => other.amount - one.amount)
    .map(({ currency }) => currency);
  const currency = currencies.find((one) => one === chosen) ?? currencies[0] ?? "usd";
  const volumeOf = ({ volume }: Pick<MetricsPoint, "volume">) =>
    volume.find((one) => one.currency === currency)?.amount ?? 0;
  const points = (of: (point: MetricsPoint) => number | null): Point[] =>
    data.map((point) => ({ at: point.start, value: of(point) }));
  const before = (of: (point: MetricsPoint) => number | null) =>
    previous && previous.total.payments > 0 ? previous.data.map(of) : undefined;
  const money = (amount: number) => formatMoney(amount, currency);
  const changeOf = (of: (point: MetricsPoint) => number) =>
    previous && (
      <Change
        now={comparableTotal(metrics, of)}
        before={comparableTotal(previous, of)}
        range={range}
      />
    );
  const { formatAt, formatAtTick } = range;
  const shared = {
    formatAt,
    formatAtTick,
    linkOf: paymentsOf,
  };
  return (
    <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
      <div className="lg:col-span-2">
        <Chart
          title="Volume"
          total={
            <span className="flex flex-wrap items-baseline gap-x-2">
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
          change={changeOf(volumeOf)}
          kind="bars"
          series={[{ label: "Volume", points: points(volumeOf) }]}
          previous={before(volumeOf)}
          format={money}
          formatTick={(amount) => formatCompactMoney(amount, currency)}
          {...shared}
        />
      </div>
      <Chart
        title="Success rate"
        total={total.success_rate === null ? "–" : formatPercent(total.success_rate)}
        kind="line"
        max={1}
        series={[{ label: "Success rate", points: points(({ success_rate }) => success_rate) }]}
        previous={before(({ success_rate }) => success_rate)}
        format={formatPercent}
        formatTick={formatWholePercent}
        {...shared}
      />
      <Chart
        title="Payments by outcome"
        total={formatCount(total.payments)}
        change={changeOf(({ payments }) => payments)}
        kind="bars"
        series={[
          { label: "Approved", tone: "positive", points: points(({ succeeded }) => succeeded) },
          { label: "Failed", tone: "negative", points: points(({ failed }) => failed) },
          {
            label: "Pending",
            tone: "neutral",
            points: points(({ payments, succeeded, failed }) => payments - succeeded - failed),
          },
        ]}
        format={formatCount}
        {...shared}
      />
    </div>
  );
}

/** Returns the path of the page that lists the payments of a day. */
function paymentsOf(at: number): string {
  const day = dayAt(new Date(at * 1000));
  return `/payments?created_from=${day}&created_to=${day}`;
}

/**
 * The relative change since the previous period. Renders nothing if the previous period has no value to compare with.
 */
function Change({ now, before, range }: { now: number; before: number; range: Range }) {
  if (before === 0) return null;
  const change = (now - before) / before;
  const text = `${change > 0 ? "+" : ""}${formatPercent(change)}`;
  return (
    <span className="text-sm font-normal text-ink-soft">
      <span className={change < 0 ? "text-negative" : "text-positive"}>{text}</span> vs. previous{" "}
      {range.label}, excluding {range.inProgress}
    </span>
  );
}
