import {
  CustomerMetrics,
  maxMetricsDays,
  PaymentMetrics,
  ReadCustomerMetrics,
  ReadPaymentMetrics,
} from "@florin/contract/metrics.ts";
import { ApiError, noSuchParameter } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import { type CustomerId, parseId } from "../../core/ids.ts";
import { currencyOfFilter } from "../../core/money.ts";
import type { Database } from "../../platform/database/database.ts";
import { ok, type Route, route } from "../../platform/http/route.ts";
import { countCardsOfCustomers, readPaymentsOfCustomers } from "./customer-metrics.sql.ts";
import { figuresOfCustomers } from "./customer-metrics.ts";
import { countReversals, measureHours, readHours, readMeasuredTo } from "./metrics.sql.ts";
import { funnelOf, type HourRange, hourMs, seriesOf } from "./tally.ts";

const dayMs = 24 * hourMs;
const defaultDays = 30;

export function metricsRoutes({ database, clock }: { database: Database; clock: Clock }): Route[] {
  return [
    route({
      method: "GET",
      path: "/metrics/payments",
      summary: "Retrieve payment metrics",
      permission: "payments:read",
      query: ReadPaymentMetrics,
      response: PaymentMetrics,
      status: 200,
      async handle({ scope, query }) {
        const range = rangeOf(query, clock.now());
        const currency = currencyOfFilter(query.currency);
        const { from, to } = range;
        // Reads the tallies of the hours that are already counted, and counts the charges of the few later hours.
        const measuredTo = await readMeasuredTo(database.read, scope);
        const border = Math.min(Math.max(measuredTo, from), to);
        const tallies = [
          ...(await readHours(database.readRows, scope, { from, to: border })),
          ...(border < to ? await measureHours(database.read, scope, { from: border, to }) : []),
        ];
        const inCurrency = currency ? tallies.filter((one) => one.currency === currency) : tallies;
        return ok({
          object: "payment_metrics",
          livemode: scope.livemode,
          from: from * 3_600,
          to: to * 3_600,
          interval: query.interval ?? "day",
          ...seriesOf(inCurrency, range),
          funnel: funnelOf(inCurrency, await countReversals(database.read, scope, range, currency)),
        });
      },
    }),
    route({
      method: "GET",
      path: "/metrics/customers",
      summary: "Retrieve metrics of customers",
      permission: "payments:read",
      query: ReadCustomerMetrics,
      response: CustomerMetrics,
      status: 200,
      async handle({ scope, query, permissions }) {
        const customers = [...new Set(query.customer_ids)].map(customerIdOf);
        const payments = await readPaymentsOfCustomers(database.read, scope, customers);
        const cards = permissions.has("customers:read")
          ? await countCardsOfCustomers(database.read, scope, customers)
          : null;
        const data = figuresOfCustomers(customers, payments, cards);
        return ok({ object: "customer_metrics", livemode: scope.livemode, data });
      },
    }),
  ];
}

function customerIdOf(text: string): CustomerId {
  const id = parseId("cus", text);
  if (!id) throw noSuchParameter("customer", text, "customer_ids");
  return id;
}

/** Returns the requested range, extended to full intervals. */
function rangeOf(query: ReadPaymentMetrics, now: Date): HourRange {
  const { interval = "day", time_zone: timeZone = "UTC" } = query;
  const toMs = query.to === undefined ? now.getTime() : query.to * 1000;
  // The default start must not be before 1970, which is the earliest time in the API.
  const defaultFromMs = Math.max(0, toMs - defaultDays * dayMs);
  const fromMs = query.from === undefined ? defaultFromMs : query.from * 1000;
  if (toMs <= fromMs) {
    throw new ApiError("parameter_invalid", "`from` must be before `to`. Send an earlier `from`.", {
      param: "from",
    });
  }
  const maxDays = maxMetricsDays[interval];
  const range =
    toMs - fromMs > maxDays * dayMs
      ? null
      : interval === "hour"
        ? hoursOf(fromMs, toMs)
        : daysOf(fromMs, toMs, timeZone);
  if (range && range.starts.length <= (interval === "hour" ? maxDays * 24 : maxDays)) return range;
  throw new ApiError(
    "parameter_invalid",
    `The range must be at most ${maxDays} days with the interval '${interval}'. Send a later \`from\` or an earlier \`to\`.`,
    { param: "from" },
  );
}

function hoursOf(fromMs: number, toMs: number): HourRange {
  const from = Math.floor(fromMs / hourMs);
  const to = Math.ceil(toMs / hourMs);
  return { from, to, starts: Array.from({ length: to - from }, (_, index) => from + index) };
}

/**
 * Returns the days of a time zone, which have 23 or 25 hours if the clocks change. Payments are counted by the hours of
 * UTC. If the zone's offset is not a whole number of hours, a day therefore starts with its first full hour in UTC.
 */
function daysOf(fromMs: number, toMs: number, timeZone: string): HourRange {
  let day = Temporal.Instant.fromEpochMilliseconds(fromMs)
    .toZonedDateTimeISO(timeZone)
    .startOfDay();
  const firstHour = () => Math.ceil(day.epochMilliseconds / hourMs);
  const from = firstHour();
  const starts: number[] = [];
  while (day.epochMilliseconds < toMs) {
    starts.push(firstHour());
    day = day.add({ days: 1 }).startOfDay();
  }
  return { from, to: firstHour(), starts };
}
