import Type, { type Static } from "typebox";
import { amount, currency } from "./amount.ts";
import { chargeStatuses } from "./charge.ts";
import { declineCodes } from "./declines.ts";
import { eventTypes } from "./event.ts";
import { id } from "./ids.ts";
import { nullable } from "./nullable.ts";
import { unixTime } from "./object-fields.ts";
import { processorNames } from "./operator-connections.ts";
import { deliveryStatuses } from "./webhook-endpoint.ts";

/** Entries of a timeline that are not events: requests and decisions. */
export const timelineSteps = [
  "charge.requested",
  "decision.made",
  "charge.rerouted",
  "capture.requested",
  "cancel.requested",
  "refund.requested",
] as const;

const TimelineEntry = Type.Object(
  {
    at: unixTime("Time of the step"),
    type: Type.Enum([...timelineSteps, ...eventTypes], {
      description: "Step of the service, or type of the event.",
    }),
    object_id: Type.String({
      description: "Object of the step: the charge, its session, its refund or its dispute.",
    }),
    event_id: nullable(id("evt", "The event. Null for a step without an event.")),
    request_id: nullable(id("req", "Request that caused the step. Null if no request caused it.")),
    idempotency_key: nullable(Type.String({ description: "Idempotency-Key of the request." })),
    actor: nullable(
      Type.Object(
        {
          type: Type.Enum(["api_key", "person"], {
            description: "`api_key`, or `person` for a member of the team.",
          }),
          id: Type.String({ description: "ID of the key or the person." }),
          name: Type.String({
            description: "Name of the key at that time, or email address of the person.",
          }),
        },
        {
          description:
            "Caller that sent the request. Null if the customer or the service caused the step, or if the request is no longer in the request log.",
        },
      ),
    ),
    status: nullable(Type.String({ description: "Status of the object after the step." })),
    amount: nullable(amount("Amount of the step.")),
    reason: nullable(
      Type.String({
        description:
          "Decline code, reason for a refund or a dispute, or reason for the switch to another acquirer.",
      }),
    ),
  },
  { description: "One step of a payment." },
);
export type TimelineEntry = Static<typeof TimelineEntry>;

const SessionAttempt = Type.Object(
  {
    charge_id: id("ch", "Charge of the attempt."),
    created: unixTime("Start of the attempt"),
    status: Type.Enum([...chargeStatuses], { description: "Status of the charge." }),
    amount: amount("Amount requested."),
    currency: currency(),
    brand: Type.String({ description: "Network of the card." }),
    last4: nullable(
      Type.String({ description: "Last four digits of the card number. Null if unknown." }),
    ),
    decline_code: nullable(
      Type.Enum(Object.keys(declineCodes), { description: "Reason for the decline." }),
    ),
  },
  { description: "One attempt to pay a checkout session." },
);
export type SessionAttempt = Static<typeof SessionAttempt>;

const EventDelivery = Type.Object(
  {
    delivery_id: id("whd", "Webhook delivery."),
    event_id: id("evt", "Event that is delivered."),
    event_type: Type.Enum([...eventTypes], { description: "Type of the event." }),
    endpoint_id: id("we", "Endpoint that receives the event."),
    url: Type.String({ description: "URL of the endpoint." }),
    status: Type.Enum([...deliveryStatuses], { description: "Status of the delivery." }),
    attempts: Type.Integer({ minimum: 0, description: "Number of attempts that were started." }),
    next_attempt_at: nullable(unixTime("Time of the next attempt")),
  },
  { description: "Delivery of one of the payment's events to one endpoint." },
);
export type EventDelivery = Static<typeof EventDelivery>;

/** The reasons why a payment is not sent over one of the account's connections. */
export const routeSkipReasons = [
  "suspended",
  "draining",
  "not_active",
  "environment",
  "secrets",
  "tried",
  "amount",
  "currency",
  "network",
  "country",
  "network_token",
  "gateway_token",
  "other_connection",
  "circuit_open",
] as const;

const ChargeRoute = Type.Object(
  {
    rules: Type.Array(
      Type.Object(
        {
          number: Type.Integer({ minimum: 1, description: "Place of the rule in the list." }),
          name: Type.String({ description: "Name of the rule." }),
        },
        { description: "A rule that matched the payment." },
      ),
      { description: "Routing rules that matched the payment, in their order." },
    ),
    connections: Type.Array(
      Type.Object(
        {
          processor: Type.Enum([...processorNames], { description: "Acquirer." }),
          merchant_account: Type.String({ description: "Merchant account at the acquirer." }),
          result: Type.Enum(["used", "declined", "not_processed", "not_needed", "skipped"], {
            description:
              "`used`: the payment was sent over the connection. `declined`: the payment was declined, and was then sent over another connection. `not_processed`: the acquirer certainly did not process the payment, which was then sent over another connection. `not_needed`: the connection accepts the payment and comes later in the order. `skipped`: the connection did not accept the payment.",
          }),
          rule: nullable(
            Type.Integer({
              description:
                "Number of the rule that put the connection in its place. Null if its priority did.",
            }),
          ),
          reason: nullable(
            Type.Enum([...routeSkipReasons], {
              description:
                "Reason for which a connection was skipped. `other_connection`: the wallet encrypted the token to the acquirer of another connection in the list, which can have the same merchant account.",
            }),
          ),
        },
        { description: "One of the account's connections to acquirers." },
      ),
      { description: "Connections in the order in which they are tried, then the skipped ones." },
    ),
  },
  { description: "Reasons why the payment was sent over its connection to an acquirer." },
);
export type ChargeRoute = Static<typeof ChargeRoute>;

/** The history of one payment, oldest first. */
export const ChargeTimeline = Type.Object(
  {
    object: Type.Literal("charge_timeline", { description: "Always `charge_timeline`." }),
    livemode: Type.Boolean({ description: "True in live mode, false in test mode." }),
    charge_id: id("ch", "Charge of the timeline."),
    entries: Type.Array(TimelineEntry, {
      description:
        "Steps, oldest first. Without the steps of disputes for a caller without `disputes:read`.",
    }),
    route: nullable(ChargeRoute),
    attempts: Type.Array(SessionAttempt, {
      description:
        "All attempts to pay the charge's checkout session, oldest first. Empty without a session.",
    }),
    deliveries: Type.Array(EventDelivery, {
      description:
        "Deliveries of the payment's events, oldest first. Empty for a caller without `webhooks:read`.",
    }),
  },
  { description: "History of one payment." },
);
export type ChargeTimeline = Static<typeof ChargeTimeline>;

export const ledgerAccounts = [
  "acquirer_receivable",
  "merchant_balance",
  "fee_income",
  "dispute_reserve",
  "payout_clearing",
  "settlement_clearing",
  "bank",
] as const;

const LedgerTransfer = Type.Object(
  {
    balance_transaction_id: id("txn", "Balance transaction of the ledger entry."),
    created: unixTime("Time of the posting"),
    kind: Type.String({
      description: "Type of the transfer: `charge`, `fee`, `refund`, `dispute`, …",
    }),
    debit: Type.Enum([...ledgerAccounts], { description: "Account that is debited." }),
    credit: Type.Enum([...ledgerAccounts], { description: "Account that is credited." }),
    amount: Type.Integer({ minimum: 1, description: "Amount of the transfer." }),
    currency: currency(),
    source: Type.String({
      description: "ID of the charge, refund or dispute that caused the transfer.",
    }),
  },
  { description: "One transfer between two ledger accounts." },
);
export type LedgerTransfer = Static<typeof LedgerTransfer>;

/** The ledger entries of one payment. */
export const ChargeLedger = Type.Object(
  {
    object: Type.Literal("charge_ledger", { description: "Always `charge_ledger`." }),
    livemode: Type.Boolean({ description: "True in live mode, false in test mode." }),
    charge_id: id("ch", "Charge of the transfers."),
    transfers: Type.Array(LedgerTransfer, { description: "The transfers, oldest first." }),
  },
  { description: "Ledger transfers of one payment." },
);
export type ChargeLedger = Static<typeof ChargeLedger>;
