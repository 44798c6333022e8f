import Type, { type Static } from "typebox";
import { listQuery, oneOrMore } from "./list.ts";
import { nullable } from "./nullable.ts";
import { objectFields, unixTime } from "./object-fields.ts";

export const requestMethods = ["GET", "POST", "DELETE"] as const;

const loggedRequestFields = {
  ...objectFields("req", "logged_request"),
  method: Type.Enum([...requestMethods], { description: "HTTP method." }),
  path: Type.String({ description: "Path without the query." }),
  query: nullable(Type.String({ description: "Query string: the text after the `?`." })),
  endpoint: Type.String({
    description: "Endpoint as in the reference: `POST /charges/:id/capture`.",
  }),
  status: Type.Integer({ minimum: 100, maximum: 599, description: "HTTP status of the response." }),
  error_code: nullable(Type.String({ description: "Error code of the response." })),
  duration_ms: Type.Integer({ minimum: 0, description: "Duration, in milliseconds." }),
  actor: Type.Object(
    {
      type: Type.Enum(["api_key", "person"], {
        description: "`api_key`, or `person` for a member of the team.",
      }),
      id: Type.String({ description: "ID of the key or the person." }),
      name: Type.String({
        description: "Name of the key at that time, or email address of the person.",
        examples: ["Shop server"],
      }),
    },
    { description: "The caller." },
  ),
  ip: Type.String({ description: "IP address of the caller." }),
  user_agent: nullable(Type.String({ description: "User agent of the client." })),
  idempotency_key: nullable(Type.String({ description: "Idempotency-Key of the request." })),
  left_out: Type.Integer({
    minimum: 0,
    description:
      "Number of requests since the previous entry that were not stored, because the log keeps a sample at high load.",
  }),
};

/** A logged request. */
export const LoggedRequest = Type.Object(loggedRequestFields, {
  description: "A request to the API, stored for 30 days.",
});
export type LoggedRequest = Static<typeof LoggedRequest>;

const bodyText = (which: string) =>
  nullable(
    Type.String({
      description: `First 4 KB of the ${which}, with card data and secrets masked. Stored only for POST requests and for failed requests.`,
    }),
  );

export const LoggedRequestWithBodies = Type.Object(
  {
    ...loggedRequestFields,
    request_body: bodyText("request body"),
    response_body: bodyText("response body"),
  },
  { description: "A request to the API with its body and its response." },
);
export type LoggedRequestWithBodies = Static<typeof LoggedRequestWithBodies>;

export const requestOutcomes = ["succeeded", "failed", "2xx", "4xx", "5xx"] as const;
export type RequestOutcome = (typeof requestOutcomes)[number];

export const ListRequestLogs = listQuery({
  status: oneOrMore(requestOutcomes, "Outcome to filter by."),
  method: oneOrMore(requestMethods, "HTTP method to filter by."),
  path: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: "Beginning of the path to filter by: `/api/v1/refunds`.",
    }),
  ),
  endpoint: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: "Endpoint to filter by: `POST /charges`.",
    }),
  ),
  error_code: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: "Error code to filter by." }),
  ),
  actor_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: "Key or person to filter by." }),
  ),
  object_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: "ID of the object to filter by: `ch_…`, `cs_…`, `re_…` and so on.",
    }),
  ),
});
export type ListRequestLogs = Static<typeof ListRequestLogs>;

/** One error of one endpoint, with its number of occurrences. */
export const RequestErrorGroup = Type.Object(
  {
    object: Type.Literal("request_error", { description: "Always `request_error`." }),
    endpoint: Type.String({ description: "Endpoint that returned the error." }),
    error_code: Type.String({ description: "Error code." }),
    status: Type.Integer({ description: "HTTP status of the newest response." }),
    count: Type.Integer({ minimum: 1, description: "Number of occurrences." }),
    first_seen: unixTime("Time of the first occurrence in the range"),
    last_seen: unixTime("Time of the last occurrence"),
    last_request_id: Type.String({ description: "Newest request with the error." }),
  },
  { description: "One error of one endpoint, with its number of occurrences." },
);
export type RequestErrorGroup = Static<typeof RequestErrorGroup>;

export const ListRequestErrors = Type.Object(
  {
    hours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 720,
        default: 24,
        description: "Hours to look back from now.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type ListRequestErrors = Static<typeof ListRequestErrors>;
