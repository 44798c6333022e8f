import Type, { type Static } from "typebox";
import { eventTypes } from "./event.ts";
import { id, idParameter } from "./ids.ts";
import { latestMoment, listQuery, oneOrMore } from "./list.ts";
import { metadata, metadataChange } from "./metadata.ts";
import { nullable } from "./nullable.ts";
import { objectFields, unixTime, version } from "./object-fields.ts";
import { text } from "./text.ts";
import { webAddress } from "./web-address.ts";

export const webhookEndpointStatuses = ["enabled", "disabled"] as const;
export type WebhookEndpointStatus = (typeof webhookEndpointStatuses)[number];

export const deliveryStatuses = ["pending", "succeeded", "given_up"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

const enabledEventsWith = (more: string) =>
  Type.Array(Type.Enum([...eventTypes, "*"]), {
    minItems: 1,
    maxItems: eventTypes.length + 1,
    description: `Types of events to send. \`*\` selects all types.${more}`,
  });
const enabledEvents = enabledEventsWith("");

/** The reasons for a failed attempt, with their meanings. */
export const attemptFailures = {
  address_not_allowed: "The host resolves to a private address that is not in an allowed network.",
  name_not_found: "The host name does not resolve to an address.",
  connection_refused: "The host refused the connection.",
  connect_timeout: "The connection was not established within 3 seconds.",
  connection_lost: "The connection was closed before the response was complete.",
  tls_failed:
    "The TLS connection failed: the certificate is expired, self-signed or for another host.",
  not_http: "The response is not HTTP.",
  status: "The response's status is not 2xx.",
  redirect: "The response is a redirect, which is not followed.",
  too_slow: "The response was not complete within 20 seconds.",
  headers_too_large: "The response's headers exceed 16 KiB.",
  body_too_large: "The response's body exceeds 1 MiB.",
  endpoint_disabled: "The endpoint is disabled. Nothing was sent.",
  endpoint_deleted: "The endpoint was deleted. Nothing was sent.",
  worker_lost: "The service's worker stopped during the attempt. The event may have arrived.",
  other: "Another failure, described by the message.",
} as const;
export type AttemptFailureCode = keyof typeof attemptFailures;
const attemptFailureCodes = Object.keys(attemptFailures) as AttemptFailureCode[];

/** The result of one delivery attempt. */
const attemptFields = {
  at: unixTime("Start of the attempt"),
  duration_ms: Type.Integer({ minimum: 0, description: "Duration, in milliseconds." }),
  status_code: nullable(Type.Integer({ description: "HTTP status of the response." })),
  failure: nullable(
    Type.Object(
      {
        code: Type.Enum(attemptFailureCodes, { description: "Kind of the failure." }),
        message: Type.String({
          description: "Description of the failure and its possible causes.",
        }),
      },
      { description: "Failure of the attempt. Null after a success." },
    ),
  ),
  response: nullable(
    Type.String({ description: "First kilobyte of the response's body, as text." }),
  ),
};
export const DeliveryAttempt = Type.Object(attemptFields, {
  description: "One attempt to deliver an event.",
});
export type DeliveryAttempt = Static<typeof DeliveryAttempt>;

const endpointFields = {
  ...objectFields("we", "webhook_endpoint"),
  url: Type.String({ description: "URL that receives the events." }),
  enabled_events: enabledEvents,
  description: nullable(Type.String({ description: "Your description of the endpoint." })),
  status: Type.Enum([...webhookEndpointStatuses], {
    description: "Status of the endpoint. A disabled endpoint receives no events.",
  }),
  failing_since: nullable(
    unixTime("Time since which every delivery has failed", "Null after a success."),
  ),
  failures: Type.Integer({
    minimum: 0,
    description:
      "Number of consecutive failures. A change of this number does not change the version.",
  }),
  backoff_until: nullable(
    unixTime(
      "Time until which no delivery is sent after several failures",
      "After this time, one delivery is tried. Pings and resends are not delayed.",
    ),
  ),
  last_failure: nullable(
    Type.Object(attemptFields, {
      description:
        "The last failed attempt. Null after a success, and after the endpoint is enabled or its url changes.",
    }),
  ),
  version: version(),
  metadata: metadata(),
};

/** The maximum number of endpoints per merchant and mode. Each event is stored once for each endpoint. */
export const maxWebhookEndpoints = 100;

/** A merchant's URL that receives events. */
export const WebhookEndpoint = Type.Object(endpointFields, {
  description: "A URL that receives webhooks.",
});
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

/**
 * The response when an endpoint is created or its secret is rolled. Only these two responses contain the signing
 * secret.
 */
export const WebhookEndpointWithSecret = Type.Object(
  {
    ...endpointFields,
    secret: Type.String({
      pattern: "^whsec_[A-Za-z0-9+/]+=*$",
      description: "Signing secret. Only this response contains the secret.",
    }),
  },
  { description: "A webhook endpoint with its signing secret." },
);
export type WebhookEndpointWithSecret = Static<typeof WebhookEndpointWithSecret>;

const ownWords = text(1000, "Your description of the endpoint.");

export const CreateWebhookEndpoint = Type.Object(
  {
    url: webAddress("URL that receives the events. Live mode requires https."),
    enabled_events: Type.Optional(enabledEventsWith(" By default `*`.")),
    description: Type.Optional(ownWords),
    status: Type.Optional(
      Type.Enum([...webhookEndpointStatuses], {
        description: "Status of the endpoint. By default `enabled`.",
      }),
    ),
    metadata: Type.Optional(metadata()),
  },
  { additionalProperties: false },
);
export type CreateWebhookEndpoint = Static<typeof CreateWebhookEndpoint>;

export const UpdateWebhookEndpoint = Type.Object(
  {
    url: Type.Optional(webAddress("URL that receives the events. Live mode requires https.")),
    enabled_events: Type.Optional(enabledEvents),
    description: Type.Optional(nullable(ownWords)),
    status: Type.Optional(
      Type.Enum([...webhookEndpointStatuses], { description: "Enables or disables the endpoint." }),
    ),
    metadata: Type.Optional(metadataChange()),
  },
  { additionalProperties: false },
);
export type UpdateWebhookEndpoint = Static<typeof UpdateWebhookEndpoint>;

export const SendSampleEvent = Type.Object(
  { type: Type.Enum([...eventTypes], { description: "Type of the sample event." }) },
  { additionalProperties: false },
);
export type SendSampleEvent = Static<typeof SendSampleEvent>;

export const RollWebhookSecret = Type.Object(
  {
    expires_in: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 86_400,
        description:
          "Seconds for which the old secret continues to sign along with the new secret. At most two secrets sign. If you roll the secret again within this time, the old secret stops signing immediately.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type RollWebhookSecret = Static<typeof RollWebhookSecret>;

export const ListWebhookEndpoints = listQuery({
  status: oneOrMore(webhookEndpointStatuses, "Status to filter by."),
  failing: Type.Optional(
    Type.Boolean({
      description: "True for endpoints whose last delivery failed, false for the others.",
    }),
  ),
});
export type ListWebhookEndpoints = Static<typeof ListWebhookEndpoints>;

export const WebhookEndpointDeleted = Type.Object(
  {
    id: id("we", "ID of the deleted webhook endpoint."),
    object: Type.Literal("webhook_endpoint", { description: "Always `webhook_endpoint`." }),
    deleted: Type.Literal(true, { description: "Always `true`." }),
  },
  { description: "Deleted webhook endpoint." },
);
export type WebhookEndpointDeleted = Static<typeof WebhookEndpointDeleted>;

/** The delivery of one event to one endpoint. */
export const WebhookDelivery = Type.Object(
  {
    ...objectFields("whd", "webhook_delivery"),
    event_id: id("evt", "Event that is delivered."),
    event_type: Type.Enum([...eventTypes], { description: "Type of the event." }),
    endpoint_id: id("we", "Endpoint that receives the event."),
    url: Type.String({ description: "URL of the endpoint." }),
    status: Type.Enum([...deliveryStatuses], { description: "Status of the delivery." }),
    attempts: Type.Integer({ minimum: 0, description: "Number of attempts that were started." }),
    next_attempt_at: nullable(unixTime("Time of the next attempt")),
    request_body: Type.String({ description: "Body that is signed and sent with each attempt." }),
    log: Type.Array(DeliveryAttempt, { description: "Attempts, oldest first." }),
  },
  { description: "Delivery of one event to one endpoint." },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const ResendWebhookDeliveries = Type.Object(
  {
    since: Type.Integer({
      minimum: 0,
      maximum: latestMoment,
      description:
        "Start of the range, in Unix seconds, at most 30 days ago. Events since this time are sent again if their delivery failed permanently or if they occurred while the endpoint was disabled.",
    }),
  },
  { additionalProperties: false },
);
export type ResendWebhookDeliveries = Static<typeof ResendWebhookDeliveries>;

export const WebhookResend = Type.Object(
  {
    object: Type.Literal("webhook_resend", { description: "Always `webhook_resend`." }),
    endpoint_id: id("we", "Endpoint that receives the events."),
    since: unixTime("Start of the range"),
    resent: Type.Integer({ minimum: 0, description: "Number of deliveries that are due now." }),
    has_more: Type.Boolean({
      description: "True if there are more events to resend. Send the request again.",
    }),
  },
  { description: "Deliveries that are sent again." },
);
export type WebhookResend = Static<typeof WebhookResend>;

export const ListWebhookDeliveries = listQuery({
  status: oneOrMore(deliveryStatuses, "Status to filter by."),
  event_id: Type.Optional(idParameter("evt", "Event to filter by.")),
});
export type ListWebhookDeliveries = Static<typeof ListWebhookDeliveries>;
