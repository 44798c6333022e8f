import Type, { type Static } from "typebox";
import { currency } from "./amount.ts";
import { id, idParameter } from "./ids.ts";
import { listQuery, oneOrMore } from "./list.ts";
import { nullable } from "./nullable.ts";
import { objectFields, unixTime } from "./object-fields.ts";

export const reconciliationStatuses = [
  "balanced",
  "in_transit",
  "differences",
  "file_missing",
  "file_unreadable",
] as const;
export type ReconciliationStatus = (typeof reconciliationStatuses)[number];

export const differenceKinds = [
  "missing_at_acquirer",
  "missing_here",
  "amount_differs",
  "currency_differs",
  "state_differs",
  "duplicate_line",
  "ledger_missing",
  "ledger_differs",
  "ledger_unexplained",
  "event_missing",
  "totals_differ",
] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

export const differenceStatuses = ["in_transit", "open", "closed"] as const;
export type DifferenceStatus = (typeof differenceStatuses)[number];

const day = (description: string) =>
  Type.String({
    pattern: "^\\d{4}-\\d{2}-\\d{2}$",
    description: `${description} Date in UTC, such as \`2026-01-31\`.`,
    examples: ["2026-01-31"],
  });

const integer = (description: string) => Type.Integer({ description });

const SettlementSum = Type.Object(
  {
    currency: currency(),
    lines: integer("Number of lines in the file for this currency."),
    captured: integer("Captured amount, minus authorizations that were reversed."),
    refunded: integer("Refunded amount. Negative."),
    charged_back: integer("Disputed amount minus the amount that won disputes returned. Negative."),
    fees: integer("Fees that the acquirer keeps."),
    net: integer("Amount that the acquirer pays out for the day."),
  },
  {
    description:
      "The acquirer's settlement in one currency. Amounts are in the smallest unit of the currency.",
  },
);

/** The comparison of one day's ledger with the acquirer's settlement file. */
export const Reconciliation = Type.Object(
  {
    ...objectFields("rec", "reconciliation"),
    day: day("Day of the reconciliation."),
    status: Type.Enum([...reconciliationStatuses], {
      description:
        "`balanced`: everything agrees. `in_transit`: differences are in transit and close automatically. `differences`: some differences need attention. `file_missing`, `file_unreadable`: there is no usable file, and the service tries again every hour for seven days.",
    }),
    processor: Type.String({ description: "Acquirer of the settlement file." }),
    checked_at: unixTime("Time of the last comparison"),
    complete_until: nullable(
      unixTime("Time before which all posted lines are in the file", "Null if there is no file."),
    ),
    failure_message: nullable(
      Type.String({ description: "Reason for a missing or unreadable file." }),
    ),
    open_differences: integer(
      "Number of differences that need attention, from this day and earlier days.",
    ),
    in_transit_differences: integer("Number of differences that close automatically."),
    settled: Type.Array(SettlementSum, { description: "The acquirer's settlement, by currency." }),
  },
  {
    description:
      "Comparison of the ledger, payments and events with the acquirer's settlement file of one day.",
  },
);
export type Reconciliation = Static<typeof Reconciliation>;

const Side = (description: string) =>
  nullable(
    Type.Object(
      {
        state: Type.String({ description: "State of the object in these records." }),
        amount: integer("Total amount. Negative if you pay it."),
        currency: nullable(currency()),
      },
      { description },
    ),
  );

/** One difference between the ledger, payments, events and the acquirer's records. */
export const ReconciliationDifference = Type.Object(
  {
    ...objectFields("dif", "reconciliation_difference"),
    kind: Type.Enum([...differenceKinds], { description: "Kind of the difference." }),
    status: Type.Enum([...differenceStatuses], {
      description:
        "`in_transit`: the missing record is expected later. `open`: the difference needs attention. `closed`: all records agree again.",
    }),
    reference: Type.String({ description: "Acquirer's reference of the object." }),
    object_id: nullable(
      Type.String({ description: "ID of the charge, refund or dispute. Null if there is none." }),
    ),
    payment: Side("State in Florin's payments. Null if the object does not exist."),
    acquirer: Side("State in the acquirer's files. Null if the files have no line for the object."),
    ledger: Side("State in the ledger. Null if the ledger has no entry for the object."),
    message: Type.String({ description: "Description of the difference." }),
    advice: Type.String({ description: "Recommended action." }),
    found_by: id("rec", "Reconciliation that found the difference."),
    closed_by: nullable(id("rec", "Reconciliation that closed the difference.")),
  },
  {
    description:
      "One object on which the ledger, the payments, the events and the acquirer's files disagree.",
  },
);
export type ReconciliationDifference = Static<typeof ReconciliationDifference>;

export const CreateReconciliation = Type.Object(
  {
    day: day("Day to reconcile. It may be today."),
  },
  { additionalProperties: false },
);
export type CreateReconciliation = Static<typeof CreateReconciliation>;

export const ListReconciliations = listQuery({
  status: oneOrMore(reconciliationStatuses, "Status to filter by."),
});
export type ListReconciliations = Static<typeof ListReconciliations>;

export const ListDifferences = listQuery({
  reconciliation_id: Type.Optional(
    idParameter("rec", "Reconciliation that found or closed the difference, to filter by."),
  ),
  status: oneOrMore(differenceStatuses, "Status to filter by."),
  kind: oneOrMore(differenceKinds, "Kind to filter by."),
});
export type ListDifferences = Static<typeof ListDifferences>;
