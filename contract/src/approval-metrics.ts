import Type, { type Static } from "typebox";
import { amount, currency } from "./amount.ts";
import { type DeclineCode, declineCodes } from "./declines.ts";
import { moment } from "./metrics.ts";
import { nullable } from "./nullable.ts";
import { unixTime } from "./object-fields.ts";
import { processorNames } from "./operator-connections.ts";
import { cardNetwork } from "./payment-method.ts";
import { timeZone } from "./time-zone.ts";

/** The acquirers of a merchant's payments. Test mode uses the simulator. */
const approvalAcquirers = [...processorNames, "simulator"] as const;
export type ApprovalAcquirer = (typeof approvalAcquirers)[number];

const count = (description: string) => Type.Integer({ minimum: 0, description });
const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

const figures = {
  attempts: count("Number of payments that the issuer approved or declined."),
  approved: count("Number of payments that the issuer approved."),
  declined: count(
    "Number of payments that the issuer declined. With `decline_code`, only those with this code.",
  ),
  approval_rate: nullable(share("Approved payments divided by attempts. Null without attempts.")),
  interval: nullable(
    Type.Object(
      { low: share("Lower bound."), high: share("Upper bound.") },
      {
        description:
          "95% confidence interval of the approval rate (Wilson score interval). It is wide if there are few payments.",
      },
    ),
  ),
};
const Figures = Type.Object(figures);
export type ApprovalFigures = Static<typeof Figures>;

const connection = (description: string) => Type.String({ description });
const country = (description: string) =>
  nullable(Type.String({ pattern: "^[A-Z]{2}$", description }));
const declineCode = (description: string) =>
  Type.Unsafe<DeclineCode>(Type.Enum(Object.keys(declineCodes), { description }));

const Cost = Type.Object(
  {
    connection: connection("ID of the connection."),
    network: nullable(
      Type.String({ description: "Card network. Null for the sum of all card networks." }),
    ),
    currency: currency(),
    payments: count("Number of captured payments in the settlement files."),
    amount: amount("Captured amount."),
    fees: Type.Integer({ description: "Fees that the acquirer deducted." }),
  },
  { description: "The acquirer's fees for captured payments, from the settlement files." },
);

const Suggestion = Type.Object(
  {
    kind: Type.Enum(["connection_approves_more", "connection_costs_less", "frequent_decline"], {
      description:
        "`connection_approves_more`: payments over `connection` are approved more often than over `other_connection`. `connection_costs_less`: the fees of `connection` are lower. `frequent_decline`: a decline code causes many declines.",
    }),
    connection: nullable(connection("Connection with the better figure.")),
    other_connection: nullable(connection("Connection with the worse figure.")),
    network: nullable(
      Type.String({ description: "Card network to which the comparison is limited." }),
    ),
    country: country("Country of issuers to which the comparison is limited."),
    currency: nullable(currency()),
    decline_code: nullable(declineCode("Decline code.")),
    rate: share(
      "Approval rate or fee rate of `connection`, or the share of the decline code in all declines.",
    ),
    other_rate: nullable(share("Approval rate or fee rate of `other_connection`.")),
    payments: count("Number of payments behind `rate`."),
    other_payments: nullable(count("Number of payments behind `other_rate`.")),
    p_value: nullable(
      share(
        "Probability of such a difference in approval rates by chance, corrected for the number of comparisons.",
      ),
    ),
  },
  { description: "An observation that you may act on. Florin does not apply it." },
);
export type ApprovalSuggestion = Static<typeof Suggestion>;

/** Approval rates of a time range. */
export const ApprovalMetrics = Type.Object(
  {
    object: Type.Literal("approval_metrics", { description: "Always `approval_metrics`." }),
    livemode: Type.Boolean({ description: "True in live mode, false in test mode." }),
    from: unixTime("Start of the range, which is the start of a day"),
    to: unixTime("End of the range"),
    counted_since: nullable(unixTime("Time since which approval rates are counted")),
    total: Type.Object(figures, { description: "Totals of the range." }),
    data: Type.Array(
      Type.Object(
        { start: unixTime("Start of the day"), ...figures },
        { description: "Payments that were started on one day." },
      ),
      { description: "Days, oldest first, without gaps." },
    ),
    connections: Type.Array(
      Type.Object({
        connection: connection("ID of the connection."),
        acquirer: Type.Enum([...approvalAcquirers], { description: "Acquirer." }),
        merchant_account: nullable(
          Type.String({ description: "Your account at the acquirer. Null for the simulator." }),
        ),
        ...figures,
      }),
      { description: "Connections, those with the most payments first." },
    ),
    networks: Type.Array(
      Type.Object({ network: Type.String({ description: "Card network." }), ...figures }),
      { description: "Card networks, those with the most payments first." },
    ),
    countries: Type.Array(
      Type.Object({
        country: country("Country of the issuer, ISO 3166-1 alpha-2. Null if unknown."),
        ...figures,
      }),
      { description: "Countries of issuers, those with the most payments first." },
    ),
    declines: Type.Array(
      Type.Object({
        decline_code: declineCode("Decline code."),
        count: count("Number of payments."),
        share: share("Share of all declines."),
      }),
      { description: "Decline codes, the most frequent first." },
    ),
    costs: Type.Array(Cost, {
      description:
        "Fees by connection and card network, from the settlement files that are dated within the range. Empty without the permission `balance:read`, which suggestions about fees also require.",
    }),
    suggestions: Type.Array(Suggestion, { description: "Observations that you may act on." }),
  },
  { description: "Approval rates of a time range." },
);
export type ApprovalMetrics = Static<typeof ApprovalMetrics>;

export const ReadApprovalMetrics = Type.Object(
  {
    from: moment(
      "Start of the range, in Unix seconds. By default thirty days before `to`. A range is at most 92 days long.",
    ),
    to: moment("End of the range, in Unix seconds. By default now."),
    time_zone: Type.Optional(timeZone("Time zone in which a day starts. By default `UTC`.")),
    connection: Type.Optional(
      Type.String({
        pattern: "^(asg_[0-9a-z]{1,40}|simulator)$",
        description: "ID of the connection to filter by, from `connections`.",
      }),
    ),
    network: Type.Optional(cardNetwork("Card network to filter by.")),
    country: Type.Optional(
      Type.String({
        pattern: "^[A-Z]{2}$",
        description: "Country of the issuer to filter by, ISO 3166-1 alpha-2.",
      }),
    ),
    decline_code: Type.Optional(
      declineCode("Decline code to which `declined` is limited. It does not change the rates."),
    ),
  },
  { additionalProperties: false },
);
export type ReadApprovalMetrics = Static<typeof ReadApprovalMetrics>;
