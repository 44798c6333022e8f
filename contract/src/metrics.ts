import Type, { type Static } from "typebox";
import { amount, currency } from "./amount.ts";
import { declineCodes } from "./declines.ts";
import { nullable } from "./nullable.ts";
import { unixTime } from "./object-facts.ts";

/** The longest time range in days for each interval. */
export const longestMetricsDays = { hour: 31, day: 92 } as const;

const count = (description: string) => Type.Integer({ minimum: 0, description });

const figures = {
  payments: count("How many payments were begun."),
  succeeded: count("How many of them the bank approved, whether taken, held or let go."),
  failed: count("How many of them failed."),
  success_rate: nullable(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: "Approved of approved and failed; null where there were none.",
    }),
  ),
  volume: Type.Array(Type.Object({ currency: currency(), amount: amount("What was taken.") }), {
    description: "What was taken of them, by currency, before refunds.",
  }),
  latency: nullable(
    Type.Object(
      {
        p50_ms: count("Half of them were quicker, in milliseconds."),
        p95_ms: count("All but one of twenty were quicker, in milliseconds."),
      },
      { description: "From the request to the bank's answer, to the nearest step." },
    ),
  ),
};

const MetricsPoint = Type.Object(
  { start: unixTime("When the interval begins"), ...figures },
  { description: "The payments that were begun in one interval." },
);
export type MetricsPoint = Static<typeof MetricsPoint>;

/** Payment metrics of a time range. */
export const PaymentMetrics = Type.Object(
  {
    object: Type.Literal("payment_metrics", { description: "Always `payment_metrics`." }),
    livemode: Type.Boolean({ description: "True in live mode, false in test mode." }),
    from: unixTime("Where it begins: a full hour, or a full day"),
    to: unixTime("Where it ends"),
    interval: Type.Enum(["hour", "day"], { description: "How long each point is; days are UTC." }),
    total: Type.Object(figures, { description: "All of it." }),
    declines: Type.Array(
      Type.Object({
        decline_code: Type.Enum(Object.keys(declineCodes), { description: "Why." }),
        count: count("How many."),
      }),
      { description: "Why payments failed, the most frequent reason first." },
    ),
    data: Type.Array(MetricsPoint, { description: "The intervals, oldest first, without a gap." }),
  },
  { description: "How payments went over a time." },
);
export type PaymentMetrics = Static<typeof PaymentMetrics>;

const moment = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 253_402_300_799, description }));

export const ReadPaymentMetrics = Type.Object(
  {
    from: moment(
      "From when on; thirty days before `to` when left out. At most 92 days, or 31 by the hour.",
    ),
    to: moment("Until when; now when left out."),
    interval: Type.Optional(
      Type.Enum(["hour", "day"], { default: "day", description: "How long each point is." }),
    ),
    currency: Type.Optional(currency()),
  },
  { additionalProperties: false },
);
export type ReadPaymentMetrics = Static<typeof ReadPaymentMetrics>;
