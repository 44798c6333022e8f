import Type, { type Static } from "typebox";
import { eventTypes } from "./event.ts";
import { id, idParameter } from "./ids.ts";
import { listQuery, oneOrMore } from "./list.ts";
import { metadata, metadataChange } from "./metadata.ts";
import { nullable } from "./nullable.ts";
import { objectFacts, unixTime, version } from "./object-facts.ts";
import { text } from "./text.ts";
import { webAddress } from "./web-address.ts";

export const webhookEndpointStatuses = ["enabled", "disabled"] as const;
export type WebhookEndpointStatus = (typeof webhookEndpointStatuses)[number];

export const deliveryStatuses = ["pending", "succeeded", "given_up"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

const enabledEvents = Type.Array(Type.Enum([...eventTypes, "*"]), {
  minItems: 1,
  maxItems: eventTypes.length + 1,
  description: "The types of events to send; `*` for all.",
});

const endpointFacts = {
  ...objectFacts("we", "webhook_endpoint"),
  url: Type.String({ description: "Where events are sent." }),
  enabled_events: enabledEvents,
  description: nullable(Type.String({ description: "Your own words for it." })),
  status: Type.Enum([...webhookEndpointStatuses], {
    description: "A disabled endpoint is sent nothing.",
  }),
  failing_since: nullable(
    unixTime("Since when everything that was sent has failed; null once something arrives"),
  ),
  failures: Type.Integer({
    minimum: 0,
    description: "How many attempts in a row failed. No version grows with it.",
  }),
  paused_until: nullable(
    unixTime(
      "After several failures, until when nothing is sent; then one delivery tries. A ping and a resend do not wait for it",
    ),
  ),
  version: version(),
  metadata: metadata(),
};

/** A merchant's URL that receives events. */
export const WebhookEndpoint = Type.Object(endpointFacts, {
  description: "Where events are sent.",
});
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

/** The response to a creation and to a roll, the only two that contain the signing secret. */
export const WebhookEndpointWithSecret = Type.Object(
  {
    ...endpointFacts,
    secret: Type.String({
      pattern: "^whsec_[A-Za-z0-9+/]+=*$",
      description: "The signing secret. It is shown now and never again.",
    }),
  },
  { description: "A webhook endpoint with its signing secret." },
);
export type WebhookEndpointWithSecret = Static<typeof WebhookEndpointWithSecret>;

const ownWords = text(1000, "Your own words for it.");

export const CreateWebhookEndpoint = Type.Object(
  {
    url: webAddress("Where to send events; https in live mode."),
    enabled_events: Type.Optional(enabledEvents),
    description: Type.Optional(ownWords),
    status: Type.Optional(
      Type.Enum([...webhookEndpointStatuses], { description: "`enabled` when nothing is said." }),
    ),
    metadata: Type.Optional(metadata()),
  },
  { additionalProperties: false },
);
export type CreateWebhookEndpoint = Static<typeof CreateWebhookEndpoint>;

export const UpdateWebhookEndpoint = Type.Object(
  {
    url: Type.Optional(webAddress("Where to send events; https in live mode.")),
    enabled_events: Type.Optional(enabledEvents),
    description: Type.Optional(nullable(ownWords)),
    status: Type.Optional(
      Type.Enum([...webhookEndpointStatuses], { description: "Switches the endpoint on or off." }),
    ),
    metadata: Type.Optional(metadataChange()),
  },
  { additionalProperties: false },
);
export type UpdateWebhookEndpoint = Static<typeof UpdateWebhookEndpoint>;

export const RollWebhookSecret = Type.Object(
  {
    expires_in: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 86_400,
        description: "For how many seconds the old secret still signs beside the new one.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type RollWebhookSecret = Static<typeof RollWebhookSecret>;

export const ListWebhookEndpoints = listQuery({});
export type ListWebhookEndpoints = Static<typeof ListWebhookEndpoints>;

export const WebhookEndpointDeleted = Type.Object(
  {
    id: id("we", "The id of what is gone."),
    object: Type.Literal("webhook_endpoint", { description: "Always `webhook_endpoint`." }),
    deleted: Type.Literal(true, { description: "Always true." }),
  },
  { description: "A webhook endpoint that is gone." },
);
export type WebhookEndpointDeleted = Static<typeof WebhookEndpointDeleted>;

/** The reasons for a failed attempt, each with what to check. */
export const attemptFailures = {
  address_refused: "The address is not public, and not among the private networks allowed.",
  name_not_found: "The host's name has no address.",
  connection_refused: "Nothing accepts connections there.",
  connect_timeout: "No connection came about within 3 seconds.",
  connection_lost: "The connection was closed before the answer was whole.",
  tls_failed: "No secure connection: an expired, self-signed or wrong certificate.",
  not_http: "What answered does not speak HTTP.",
  status: "The answer's status was not 2xx.",
  redirect: "The answer was a redirect, which is not followed.",
  too_slow: "The answer was not complete within 20 seconds.",
  headers_too_large: "The answer's headers were over 16 KiB.",
  body_too_large: "The answer's body was over 1 MiB.",
  endpoint_disabled: "The endpoint is disabled; nobody was asked.",
  endpoint_deleted: "The endpoint is gone; nobody was asked.",
  worker_lost: "The service's own worker stopped in the middle; it may have arrived.",
  other: "Something else; the message says what.",
} as const;
export type AttemptFailureCode = keyof typeof attemptFailures;
const attemptFailureCodes = Object.keys(attemptFailures) as AttemptFailureCode[];

/** The result of one delivery attempt. */
export const DeliveryAttempt = Type.Object(
  {
    at: unixTime("When it began"),
    duration_ms: Type.Integer({ minimum: 0, description: "How long it took, in milliseconds." }),
    status_code: nullable(Type.Integer({ description: "The HTTP status that came back." })),
    failure: nullable(
      Type.Object(
        {
          code: Type.Enum(attemptFailureCodes, { description: "What kind of failure it was." }),
          message: Type.String({ description: "What happened, and what to look at." }),
        },
        { description: "Why it failed; null for a success." },
      ),
    ),
    response: nullable(
      Type.String({ description: "The first kilobyte of the answer's body, as text." }),
    ),
  },
  { description: "One attempt to deliver." },
);
export type DeliveryAttempt = Static<typeof DeliveryAttempt>;

/** The delivery of one event to one endpoint. */
export const WebhookDelivery = Type.Object(
  {
    ...objectFacts("whd", "webhook_delivery"),
    event_id: id("evt", "The event."),
    event_type: Type.Enum([...eventTypes], { description: "The event's type." }),
    endpoint_id: id("we", "The endpoint."),
    url: Type.String({ description: "Where it is sent." }),
    status: Type.Enum([...deliveryStatuses], { description: "Where the delivery stands." }),
    attempts: Type.Integer({ minimum: 0, description: "How many attempts were begun." }),
    next_attempt_at: nullable(unixTime("When the next attempt is due")),
    request_body: Type.String({ description: "The bytes that are signed and sent each time." }),
    log: Type.Array(DeliveryAttempt, { description: "The attempts, oldest first." }),
  },
  { description: "One event on its way to one endpoint." },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const ResendWebhookDeliveries = Type.Object(
  {
    since: Type.Integer({
      minimum: 0,
      description:
        "From when on, in unix seconds: events that were given up, and those that happened while the endpoint was disabled. At most 30 days back.",
    }),
  },
  { additionalProperties: false },
);
export type ResendWebhookDeliveries = Static<typeof ResendWebhookDeliveries>;

export const WebhookResend = Type.Object(
  {
    object: Type.Literal("webhook_resend", { description: "Always `webhook_resend`." }),
    endpoint_id: id("we", "The endpoint."),
    since: unixTime("From when on"),
    resent: Type.Integer({ minimum: 0, description: "How many deliveries are due now." }),
    has_more: Type.Boolean({ description: "Whether to ask again, for there are more." }),
  },
  { description: "Deliveries that are sent once more." },
);
export type WebhookResend = Static<typeof WebhookResend>;

export const ListWebhookDeliveries = listQuery({
  status: oneOrMore(deliveryStatuses, "Only those in this status."),
  event_id: Type.Optional(idParameter("evt", "Only those of this event.")),
});
export type ListWebhookDeliveries = Static<typeof ListWebhookDeliveries>;
