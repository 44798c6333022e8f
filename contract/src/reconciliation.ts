import Type, { type Static } from "typebox";
import { currency } from "./amount.ts";
import { id, idParameter } from "./ids.ts";
import { listQuery, oneOrMore } from "./list.ts";
import { nullable } from "./nullable.ts";
import { objectFacts, unixTime } from "./object-facts.ts";

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
    description: `${description} In UTC, as \`2026-01-31\`.`,
    examples: ["2026-01-31"],
  });

const integer = (description: string) => Type.Integer({ description });

const SettlementSum = Type.Object(
  {
    currency: currency(),
    lines: integer("How many lines the file has in this currency."),
    captured: integer("What was taken from cards, less what was undone."),
    refunded: integer("What went back to cardholders; negative."),
    charged_back: integer("What disputes took, less what they returned; negative."),
    fees: integer("What the acquirer keeps."),
    net: integer("What the acquirer pays out for the day."),
  },
  { description: "What the acquirer settled in one currency. In the smallest unit." },
);

/** The comparison of one day's ledger with the acquirer's settlement file. */
export const Reconciliation = Type.Object(
  {
    ...objectFacts("rec", "reconciliation"),
    day: day("The day that was reconciled."),
    status: Type.Enum([...reconciliationStatuses], {
      description:
        "`balanced`: everything agrees. `in_transit`: what differs is on its way and closes by itself. `differences`: something has to be looked at. `file_missing`, `file_unreadable`: there was nothing to compare with; it is tried again every hour.",
    }),
    processor: Type.String({ description: "Whose settlement file it was." }),
    checked_at: unixTime("When it was last compared"),
    complete_until: nullable(
      unixTime("What was booked before this moment is in the file; null without a file"),
    ),
    failure_message: nullable(
      Type.String({ description: "Why there is no file, or why it could not be read." }),
    ),
    open_differences: integer("Differences that have to be looked at, of this day and earlier."),
    in_transit_differences: integer("Differences that close by themselves."),
    settled: Type.Array(SettlementSum, { description: "What the acquirer settled, by currency." }),
  },
  {
    description:
      "The comparison of one day's books, payments and events with what the acquirer says it settled.",
  },
);
export type Reconciliation = Static<typeof Reconciliation>;

const Side = (description: string) =>
  nullable(
    Type.Object(
      {
        state: Type.String({ description: "Where it stands there." }),
        amount: integer("What moved in all, from your side: what left is negative."),
        currency: nullable(currency()),
      },
      { description },
    ),
  );

/** One difference between the ledger, payments, events and the acquirer's records. */
export const ReconciliationDifference = Type.Object(
  {
    ...objectFacts("dif", "reconciliation_difference"),
    kind: Type.Enum([...differenceKinds], { description: "What does not agree." }),
    status: Type.Enum([...differenceStatuses], {
      description:
        "`in_transit`: one side is expected to follow. `open`: to be looked at. `closed`: everything agrees by now.",
    }),
    reference: Type.String({ description: "What it is about, as the acquirer calls it." }),
    object_id: nullable(
      Type.String({ description: "The charge, refund or dispute; null where there is none." }),
    ),
    payment: Side("What our payments say; null where there is no such thing."),
    acquirer: Side("What the acquirer's files say; null where they have no line."),
    ledger: Side("What the ledger holds; null where it has no entry."),
    message: Type.String({ description: "What was found, in a sentence." }),
    advice: Type.String({ description: "What to do." }),
    found_by: id("rec", "The reconciliation that found it."),
    closed_by: nullable(id("rec", "The reconciliation that found it settled.")),
  },
  {
    description:
      "One thing on which the ledger, the payments, the events and the acquirer's files do not agree.",
  },
);
export type ReconciliationDifference = Static<typeof ReconciliationDifference>;

export const CreateReconciliation = Type.Object(
  {
    day: day("The day to reconcile; in test mode it may also be today."),
  },
  { additionalProperties: false },
);
export type CreateReconciliation = Static<typeof CreateReconciliation>;

export const ListReconciliations = listQuery({
  status: oneOrMore(reconciliationStatuses, "Only those in this status."),
});
export type ListReconciliations = Static<typeof ListReconciliations>;

export const ListDifferences = listQuery({
  reconciliation_id: Type.Optional(
    idParameter("rec", "Only those that this reconciliation found or closed."),
  ),
  status: oneOrMore(differenceStatuses, "Only those in this status."),
  kind: oneOrMore(differenceKinds, "Only those of this kind."),
});
export type ListDifferences = Static<typeof ListDifferences>;
