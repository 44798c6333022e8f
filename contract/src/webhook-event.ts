import Type, { type Static, type TSchema } from "typebox";
import { Account } from "./account.ts";
import { Payout } from "./balance.ts";
import { Charge } from "./charge.ts";
import { CheckoutSession } from "./checkout-session.ts";
import { Decision } from "./decision.ts";
import { Dispute } from "./dispute.ts";
import { Event, type EventType, eventTypes } from "./event.ts";
import { Refund } from "./refund.ts";
import { WebhookEndpoint } from "./webhook-endpoint.ts";

/** The meaning of each event type, and the schema of its `data.object`. */
const events = {
  "payment.succeeded": [Charge, "A charge succeeded, and the money is yours. Fulfill the order."],
  payment_failed: [
    Charge,
    "A charge failed. The customer can try another card in the same checkout session.",
  ],
  "payment.requires_action": [Charge, "A charge waits for the customer's authentication."],
  "payment.authorized": [Charge, "A charge is authorized. Capture it before `capture_before`."],
  "payment.captured": [Charge, "An authorized charge was captured."],
  "payment.canceled": [Charge, "An authorization was released, or the authentication was ended."],
  "payment.capture_failed": [
    Charge,
    "The acquirer could not collect the amount of a succeeded charge. Handle the order as unpaid.",
  ],
  "checkout_session.completed": [
    CheckoutSession,
    "A checkout session was paid or authorized. In mode `setup`, its card was saved.",
  ],
  "checkout_session.expired": [CheckoutSession, "A checkout session expired without a payment."],
  "refund.succeeded": [Refund, "A refund was sent to the card."],
  "refund.failed": [Refund, "A refund failed. Its amount is returned to your balance."],
  "dispute.opened": [Dispute, "A cardholder disputed a charge. Respond before `evidence_due_by`."],
  "dispute.response_rejected": [
    Dispute,
    "Your response to a dispute was not accepted. Read the reason in `response_problem`, then correct the response and submit it again.",
  ],
  "dispute.closed": [Dispute, "A dispute was won or lost."],
  "payout.paid": [Payout, "A payout arrived at your bank."],
  "payout.failed": [Payout, "A payout failed. Its amount is returned to your balance."],
  "decision.review_opened": [Decision, "A payment waits for your review."],
  "account.updated": [Account, "Your account or its settings changed."],
  "webhook_endpoint.disabled": [
    WebhookEndpoint,
    "An endpoint was disabled because all its deliveries failed for five days, or because it responded with 410.",
  ],
  ping: [WebhookEndpoint, "A test event that you requested. Respond with any 2xx status."],
} as const satisfies Record<EventType, readonly [TSchema, string]>;

type ObjectOf<Name extends EventType> = Static<(typeof events)[Name][0]>;

/** An event of one type. */
export type WebhookEventOf<Name extends EventType> = Omit<Event, "type" | "data"> & {
  type: Name;
  data: Name extends "account.updated"
    ? { object: ObjectOf<Name>; previous_attributes: Partial<ObjectOf<Name>> }
    : { object: ObjectOf<Name> };
};

/** An event of any type. `type` determines the type of `data.object`. */
export type WebhookEvent = { [Name in EventType]: WebhookEventOf<Name> }[EventType];

const { type: _type, data: _data, ...commonFields } = Event.properties;
const previousAttributes = Event.properties.data.properties.previous_attributes;

function eventSchema(type: EventType): TSchema {
  const [object, description] = events[type];
  const previous = type === "account.updated" && { previous_attributes: previousAttributes };
  return Type.Object(
    {
      ...commonFields,
      type: Type.Literal(type, { description: `Always \`${type}\`.` }),
      data: Type.Object({ object, ...previous }, { description: "Object of the event." }),
    },
    { description },
  );
}

/** The schema of each event by its type. */
export const webhookEventSchemas = Object.fromEntries(
  eventTypes.map((type) => [type, eventSchema(type)]),
) as Record<EventType, TSchema & { readonly description: string }>;

/** The value of `object` in the `data.object` of each event type. */
export const webhookEventObjects = Object.fromEntries(
  eventTypes.map((type) => [type, events[type][0].properties.object.const]),
) as Record<EventType, string>;

/** Returns the name of the schema of an event type: `PaymentSucceededEvent`. */
export function webhookEventName(type: EventType): string {
  const words = type.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join("")}Event`;
}

/** The schema of every event, as a union by `type`. */
export const WebhookEvent = Type.Union(Object.values(webhookEventSchemas), {
  description: "Record of a change. `type` determines the type of `data.object`.",
  discriminator: {
    propertyName: "type",
    mapping: Object.fromEntries(
      eventTypes.map((type) => [type, `#/components/schemas/${webhookEventName(type)}`]),
    ),
  },
});
