import Type, { type Static } from "typebox";
import { amount, currency } from "./amount.ts";
import { declineCodes } from "./declines.ts";
import { id, idParameter } from "./ids.ts";
import { nullable } from "./nullable.ts";
import { unixTime } from "./object-fields.ts";
import { timeZone } from "./time-zone.ts";

/** The longest time range in days for each interval. */
export const maxMetricsDays = { hour: 31, day: 92 } as const;

const count = (description: string) => Type.Integer({ minimum: 0, description });

const figures = {
  payments: count("Number of payments that were started."),
  succeeded: count(
    "Number of payments that the issuer approved, whether captured, held or canceled.",
  ),
  failed: count("Number of payments that failed."),
  success_rate: nullable(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        "Approved payments divided by the sum of approved and failed payments, from 0 to 1. Null if there are none.",
    }),
  ),
  volume: Type.Array(Type.Object({ currency: currency(), amount: amount("Amount captured.") }), {
    description: "Captured amounts by currency, before refunds.",
  }),
  latency: nullable(
    Type.Object(
      {
        p50_ms: count("Median, in milliseconds."),
        p95_ms: count("95th percentile, in milliseconds."),
      },
      {
        description:
          "Time from the request to the issuer's response, rounded up to the next bound of a histogram.",
      },
    ),
  ),
};

const MetricsPoint = Type.Object(
  { start: unixTime("Start of the interval"), ...figures },
  { description: "Payments that were started in one interval." },
);
export type MetricsPoint = Static<typeof MetricsPoint>;

/** Payment metrics of a time range. */
export const PaymentMetrics = Type.Object(
  {
    object: Type.Literal("payment_metrics", { description: "Always `payment_metrics`." }),
    livemode: Type.Boolean({ description: "True in live mode, false in test mode." }),
    from: unixTime("Start of the range, which is the start of an hour or a day"),
    to: unixTime("End of the range"),
    interval: Type.Enum(["hour", "day"], { description: "Length of each interval." }),
    total: Type.Object(figures, { description: "Totals of the range." }),
    declines: Type.Array(
      Type.Object({
        decline_code: Type.Enum(Object.keys(declineCodes), { description: "Decline code." }),
        count: count("Number of payments."),
      }),
      { description: "Decline codes, the most frequent first." },
    ),
    funnel: Type.Object(
      {
        sessions: count("Number of checkout sessions that were created."),
        attempted_sessions: count("Number of these sessions with at least one payment."),
        payments: count("Number of payments that were started."),
        session_payments: count("Number of payments in checkout sessions."),
        authenticated: count("Number of payments with a result of 3-D Secure."),
        authenticated_approved: count("Number of payments that were approved after 3-D Secure."),
        authenticated_failed: count("Number of payments that failed after 3-D Secure."),
        approved: count("Number of payments that the issuer approved."),
        failed: count("Number of payments that failed."),
        captured: count("Number of payments that were captured."),
        refunded: count("Number of captured payments that were refunded and not disputed."),
        disputed: count("Number of captured payments with an open or lost dispute."),
      },
      { description: "Steps of the payments, from checkout sessions to disputes." },
    ),
    data: Type.Array(MetricsPoint, { description: "Intervals, oldest first, without gaps." }),
  },
  { description: "Payment metrics of a time range." },
);
export type PaymentMetrics = Static<typeof PaymentMetrics>;

const CustomerFigures = Type.Object(
  {
    customer_id: id("cus", "Customer."),
    payments: count("Number of payments that were started, up to 1,000."),
    succeeded: count("Number of these payments that were captured."),
    spend: Type.Array(Type.Object({ currency: currency(), amount: amount("Amount.") }), {
      description: "Captured amounts by currency, minus refunds and disputed amounts.",
    }),
    last_payment: nullable(unixTime("Time of the last payment")),
    cards: nullable(count("Number of saved cards. Null for a caller without `customers:read`.")),
  },
  { description: "Payments and saved cards of one customer." },
);

/** Payment metrics of customers. */
export const CustomerMetrics = Type.Object(
  {
    object: Type.Literal("customer_metrics", { description: "Always `customer_metrics`." }),
    livemode: Type.Boolean({ description: "True in live mode, false in test mode." }),
    data: Type.Array(CustomerFigures, { description: "One entry for each requested customer." }),
  },
  { description: "Payments and saved cards of customers." },
);
export type CustomerMetrics = Static<typeof CustomerMetrics>;

export const ReadCustomerMetrics = Type.Object(
  {
    customer_ids: Type.Array(idParameter("cus", "ID of a customer."), {
      minItems: 1,
      maxItems: 25,
      "x-florin": "query",
      description: "IDs of up to 25 customers. Separate multiple IDs with commas.",
    }),
  },
  { additionalProperties: false },
);
export type ReadCustomerMetrics = Static<typeof ReadCustomerMetrics>;

export const moment = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 253_402_300_799, description }));

export const ReadPaymentMetrics = Type.Object(
  {
    from: moment(
      "Start of the range, in Unix seconds. By default thirty days before `to`. A range is at most 92 days long, or 31 days with the interval `hour`.",
    ),
    to: moment("End of the range, in Unix seconds. By default now."),
    interval: Type.Optional(
      Type.Enum(["hour", "day"], { default: "day", description: "Length of each interval." }),
    ),
    time_zone: Type.Optional(
      timeZone(
        "Time zone in which a day starts. By default `UTC`. If the zone's offset from UTC is not a whole number of hours, a day starts with its first full hour in UTC.",
      ),
    ),
    currency: Type.Optional(currency()),
  },
  { additionalProperties: false },
);
export type ReadPaymentMetrics = Static<typeof ReadPaymentMetrics>;
