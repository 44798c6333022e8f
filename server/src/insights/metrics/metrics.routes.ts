import {
  CustomerMetrics,
  PaymentMetrics,
  ReadCustomerMetrics,
  ReadPaymentMetrics,
} from "@florin/contract/metrics.ts";
import { noSuchParameter } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import { type CustomerId, parseId } from "../../core/ids.ts";
import { currencyOfFilter } from "../../core/money.ts";
import type { Database } from "../../platform/database/database.ts";
import { ok, type Route, route } from "../../platform/http/route.ts";
import { countCardsOfCustomers, readPaymentsOfCustomers } from "./customer-metrics.sql.ts";
import { figuresOfCustomers } from "./customer-metrics.ts";
import { countReversals, measureHours, readHours, readMeasuredTo } from "./metrics.sql.ts";
import { metricsRange } from "./metrics-range.ts";
import { funnelOf, seriesOf } from "./tally.ts";

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
        const range = metricsRange(query, clock.now());
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
