import Type, { type Static } from "typebox";
import { id, idParameter } from "./ids.ts";
import { listQuery, oneOrMore } from "./list.ts";
import { nullable } from "./nullable.ts";
import { objectFields } from "./object-fields.ts";
import type { Permission } from "./permissions.ts";

/**
 * Every event type. `payment.succeeded` and `payment_failed` are inconsistent, but they are part of the public API and
 * cannot change.
 */
export const eventTypes = [
  "payment.succeeded",
  "payment_failed",
  "payment.requires_action",
  "payment.authorized",
  "payment.captured",
  "payment.canceled",
  "payment.capture_failed",
  "checkout_session.completed",
  "checkout_session.expired",
  "refund.succeeded",
  "refund.failed",
  "dispute.opened",
  "dispute.response_rejected",
  "dispute.closed",
  "payout.paid",
  "payout.failed",
  "decision.review_opened",
  "account.updated",
  "webhook_endpoint.disabled",
  "ping",
] as const;
export type EventType = (typeof eventTypes)[number];

/**
 * The permission that reads the object of each event type. An event contains its complete object, so reading the event
 * requires this permission in addition to `events:read`.
 */
export const eventObjectPermissions = {
  "payment.succeeded": "payments:read",
  payment_failed: "payments:read",
  "payment.requires_action": "payments:read",
  "payment.authorized": "payments:read",
  "payment.captured": "payments:read",
  "payment.canceled": "payments:read",
  "payment.capture_failed": "payments:read",
  "checkout_session.completed": "payments:read",
  "checkout_session.expired": "payments:read",
  "refund.succeeded": "payments:read",
  "refund.failed": "payments:read",
  "dispute.opened": "disputes:read",
  "dispute.response_rejected": "disputes:read",
  "dispute.closed": "disputes:read",
  "payout.paid": "balance:read",
  "payout.failed": "balance:read",
  "decision.review_opened": "decisions:read",
  "account.updated": "account:read",
  "webhook_endpoint.disabled": "webhooks:read",
  // The object of a ping is the webhook endpoint that receives the ping. Sample events are stored as pings too.
  ping: "webhooks:read",
} as const satisfies Record<EventType, Permission>;

/**
 * A state change of an object. An event is written in the same transaction as the change, and sent to webhook
 * endpoints.
 */
export const Event = Type.Object(
  {
    ...objectFields("evt", "event"),
    type: Type.Enum([...eventTypes], { description: "Type of the event." }),
    api_version: Type.Literal("v1", { description: "API version of the object." }),
    account: id("acct", "Account that the event belongs to."),
    sample: Type.Optional(
      Type.Literal(true, {
        description:
          "Present on a sample event, which reports no change. Its object does not exist.",
      }),
    ),
    request: nullable(
      Type.Object(
        {
          id: nullable(id("req", "Request that caused the event.")),
          idempotency_key: nullable(
            Type.String({ description: "Idempotency-Key of the request." }),
          ),
        },
        { description: "Request that caused the event. Null if no request caused it." },
      ),
    ),
    data: Type.Object(
      {
        object: Type.Unsafe<Record<string, unknown>>({
          type: "object",
          description: "The complete object directly after the event. For a payment, the charge.",
        }),
        previous_attributes: Type.Optional(
          Type.Unsafe<Record<string, unknown>>({
            type: "object",
            description: "For `account.updated`: previous values of the changed fields.",
          }),
        ),
      },
      { description: "Object of the event." },
    ),
  },
  { description: "Record of a change." },
);
export type Event = Static<typeof Event>;

const typeFilters = {
  type: oneOrMore(eventTypes, "Type to filter by."),
  types: oneOrMore(eventTypes, "Alias of `type`. Send only one of the two."),
};

export const ListEvents = listQuery({
  ...typeFilters,
});
export type ListEvents = Static<typeof ListEvents>;

/** The event types of a stream. */
export const StreamEvents = Type.Object(
  {
    types: oneOrMore(eventTypes, "Types to filter by."),
  },
  { additionalProperties: false },
);
export type StreamEvents = Static<typeof StreamEvents>;

/** The position at which a stream starts. */
export const StreamHeaders = Type.Object({
  "Last-Event-ID": Type.Optional(
    idParameter(
      "evt",
      "ID of the last event that you received. The stream continues after that event, and repeats some events that occurred at about the same time. Identify repeated events by their ID. Without this parameter, the stream starts with the next event.",
    ),
  ),
});
