import Type, { type Static } from "typebox";
import { id, idParameter } from "./ids.ts";
import { listQuery, oneOrMore } from "./list.ts";
import { nullable } from "./nullable.ts";
import { objectFacts } from "./object-facts.ts";

/** Every event type. The spelling of the two payment outcomes is part of the public API. */
export const eventTypes = [
  "payment.succeeded",
  "payment_failed",
  "payment.requires_action",
  "payment.authorized",
  "payment.captured",
  "payment.canceled",
  "checkout_session.completed",
  "checkout_session.expired",
  "refund.succeeded",
  "refund.failed",
  "dispute.opened",
  "dispute.closed",
  "payout.paid",
  "payout.failed",
  "decision.review_opened",
  "account.updated",
  "webhook_endpoint.disabled",
  "ping",
] as const;
export type EventType = (typeof eventTypes)[number];

/** A record that something happened, written in the same transaction and sent to webhook endpoints. */
export const Event = Type.Object(
  {
    ...objectFacts("evt", "event"),
    type: Type.Enum([...eventTypes], { description: "What happened." }),
    api_version: Type.Literal("v1", { description: "The version whose shapes it has." }),
    account: id("acct", "Whose event it is."),
    request: nullable(
      Type.Object(
        {
          id: nullable(id("req", "The request that caused it.")),
          idempotency_key: nullable(Type.String({ description: "The request's Idempotency-Key." })),
        },
        { description: "The request that caused it; null where none did." },
      ),
    ),
    data: Type.Object(
      {
        object: Type.Unsafe<Record<string, unknown>>({
          type: "object",
          description:
            "The whole object as it was just after it happened: for a payment, the charge.",
        }),
        previous_attributes: Type.Optional(
          Type.Unsafe<Record<string, unknown>>({
            type: "object",
            description: "With `account.updated`: what the changed fields were before.",
          }),
        ),
      },
      { description: "What it happened to." },
    ),
  },
  { description: "What happened." },
);
export type Event = Static<typeof Event>;

const typeFilters = {
  type: oneOrMore(eventTypes, "Only those of this type."),
  types: oneOrMore(eventTypes, "Another name of `type`. Send one of the two."),
};

export const ListEvents = listQuery({
  ...typeFilters,
});
export type ListEvents = Static<typeof ListEvents>;

/** The event types of a stream. */
export const StreamEvents = Type.Object(
  {
    types: oneOrMore(eventTypes, "Only those of these types."),
  },
  { additionalProperties: false },
);
export type StreamEvents = Static<typeof StreamEvents>;

/** The position at which a stream starts. */
export const StreamHeaders = Type.Object({
  "Last-Event-ID": Type.Optional(
    idParameter(
      "evt",
      "The id of the last event that you have: the stream goes on there. Around it some events come again; tell them by their id. Left out, the stream begins with what happens next.",
    ),
  ),
});
