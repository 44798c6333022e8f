import Type, { type Static } from "typebox";
import { amount, currency } from "./amount.ts";
import { chargeStatuses } from "./charge.ts";
import { declineCodes } from "./declines.ts";
import { eventTypes } from "./event.ts";
import { id } from "./ids.ts";
import { nullable } from "./nullable.ts";
import { unixTime } from "./object-facts.ts";
import { deliveryStatuses } from "./webhook-endpoint.ts";

/** Entries of a timeline that are not events: requests and decisions. */
export const timelineSteps = [
  "charge.requested",
  "decision.made",
  "capture.requested",
  "cancel.requested",
  "refund.requested",
] as const;

const TimelineEntry = Type.Object(
  {
    at: unixTime("When it happened"),
    type: Type.Enum([...timelineSteps, ...eventTypes], {
      description: "What happened: a step of ours, or an event.",
    }),
    object_id: Type.String({
      description: "What it happened to: the charge, its session, its refund, its dispute.",
    }),
    event_id: nullable(id("evt", "The event; null for what is not announced.")),
    request_id: nullable(id("req", "The request that caused it; null where none did.")),
    idempotency_key: nullable(Type.String({ description: "That request's Idempotency-Key." })),
    actor: nullable(
      Type.Object(
        {
          type: Type.Enum(["api_key", "person"], {
            description: "A key, or a person of the team.",
          }),
          id: Type.String({ description: "The key's or the person's id." }),
          name: Type.String({ description: "What the key was called, or the person's address." }),
        },
        {
          description:
            "Who sent that request; null where it was the customer or the service itself, and once its log is gone.",
        },
      ),
    ),
    status: nullable(Type.String({ description: "Where the object stood then." })),
    amount: nullable(amount("What it was about.")),
    reason: nullable(
      Type.String({ description: "Why: a decline code, a refund's or a dispute's reason." }),
    ),
  },
  { description: "One step of a payment." },
);
export type TimelineEntry = Static<typeof TimelineEntry>;

const SessionAttempt = Type.Object(
  {
    charge_id: id("ch", "The attempt."),
    created: unixTime("When it began"),
    status: Type.Enum([...chargeStatuses], { description: "Where it stands." }),
    amount: amount("What was asked for."),
    currency: currency(),
    brand: Type.String({ description: "The card's network." }),
    last4: Type.String({ description: "The card's last four digits." }),
    decline_code: nullable(
      Type.Enum(Object.keys(declineCodes), { description: "Why it was declined." }),
    ),
  },
  { description: "One attempt to pay a checkout session." },
);
export type SessionAttempt = Static<typeof SessionAttempt>;

const EventDelivery = Type.Object(
  {
    delivery_id: id("whd", "The delivery."),
    event_id: id("evt", "What it tells."),
    event_type: Type.Enum([...eventTypes], { description: "The event's type." }),
    endpoint_id: id("we", "Whom it tells."),
    url: Type.String({ description: "Where it is sent." }),
    status: Type.Enum([...deliveryStatuses], { description: "Where the delivery stands." }),
    attempts: Type.Integer({ minimum: 0, description: "How many attempts were begun." }),
    next_attempt_at: nullable(unixTime("When the next attempt is due")),
  },
  { description: "One event of the payment on its way to one endpoint." },
);
export type EventDelivery = Static<typeof EventDelivery>;

/** The history of one payment, oldest first. */
export const ChargeTimeline = Type.Object(
  {
    object: Type.Literal("charge_timeline", { description: "Always `charge_timeline`." }),
    livemode: Type.Boolean({ description: "True in live mode, false in test mode." }),
    charge_id: id("ch", "Whose timeline it is."),
    entries: Type.Array(TimelineEntry, { description: "What happened, oldest first." }),
    attempts: Type.Array(SessionAttempt, {
      description: "All attempts to pay its checkout session, oldest first; none without one.",
    }),
    deliveries: Type.Array(EventDelivery, {
      description: "The deliveries of its events, oldest first.",
    }),
  },
  { description: "Everything that happened to one payment." },
);
export type ChargeTimeline = Static<typeof ChargeTimeline>;

export const ledgerAccounts = [
  "acquirer_receivable",
  "merchant_balance",
  "fee_income",
  "dispute_reserve",
  "payout_clearing",
  "bank",
] as const;

const LedgerTransfer = Type.Object(
  {
    balance_transaction_id: id("txn", "The entry in the balance that it belongs to."),
    created: unixTime("When it was posted"),
    kind: Type.String({ description: "What moved: `charge`, `fee`, `refund`, `dispute`, …" }),
    debit: Type.Enum([...ledgerAccounts], { description: "The account it is debited to." }),
    credit: Type.Enum([...ledgerAccounts], { description: "The account it is credited to." }),
    amount: Type.Integer({ minimum: 1, description: "How much moved." }),
    currency: currency(),
    source: Type.String({ description: "The charge, refund or dispute that moved it." }),
  },
  { description: "One transfer between two accounts of the ledger." },
);
export type LedgerTransfer = Static<typeof LedgerTransfer>;

/** The ledger entries of one payment. */
export const ChargeLedger = Type.Object(
  {
    object: Type.Literal("charge_ledger", { description: "Always `charge_ledger`." }),
    livemode: Type.Boolean({ description: "True in live mode, false in test mode." }),
    charge_id: id("ch", "Whose transfers they are."),
    transfers: Type.Array(LedgerTransfer, { description: "The transfers, oldest first." }),
  },
  { description: "What one payment has moved in the books." },
);
export type ChargeLedger = Static<typeof ChargeLedger>;
