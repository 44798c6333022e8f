import Type, { type Static } from "typebox";
import { listQuery, oneOrMore } from "./list.ts";
import { nullable } from "./nullable.ts";
import { objectFacts, unixTime } from "./object-facts.ts";

export const requestMethods = ["GET", "POST", "DELETE"] as const;
/**
 * The number of requests per second that are logged for each account and mode, and as many errors. Of the rest every
 * hundredth is logged.
 */
export const keptPerSecond = 100;

const loggedRequestFacts = {
  ...objectFacts("req", "logged_request"),
  method: Type.Enum([...requestMethods], { description: "How it asked." }),
  path: Type.String({ description: "What it asked for, without the query." }),
  query: nullable(Type.String({ description: "What followed the `?`." })),
  endpoint: Type.String({
    description: "The endpoint, as in the reference: `POST /charges/:id/capture`.",
  }),
  status: Type.Integer({ minimum: 100, maximum: 599, description: "The answer's HTTP status." }),
  error_code: nullable(Type.String({ description: "The code of the error it was answered with." })),
  duration_ms: Type.Integer({ minimum: 0, description: "How long it took, in milliseconds." }),
  actor: Type.Object(
    {
      type: Type.Enum(["api_key", "person"], { description: "A key, or a person of the team." }),
      id: Type.String({ description: "The key's or the person's id." }),
      name: Type.String({
        description: "What the key was called then, or the person's address.",
        examples: ["Shop server"],
      }),
    },
    { description: "Who asked." },
  ),
  ip: Type.String({ description: "The network address it came from." }),
  user_agent: nullable(Type.String({ description: "What the client called itself." })),
  idempotency_key: nullable(Type.String({ description: "The Idempotency-Key that was sent." })),
  left_out: Type.Integer({
    minimum: 0,
    description: "How many requests between the one before and this were too many to keep.",
  }),
};

/** A logged request. */
export const LoggedRequest = Type.Object(loggedRequestFacts, {
  description: "A request that was made. Kept for 30 days.",
});
export type LoggedRequest = Static<typeof LoggedRequest>;

const bodyText = (which: string) =>
  nullable(
    Type.String({
      description: `The first 4 KB of the ${which}, without card data and secrets; null for reads that went well.`,
    }),
  );

export const LoggedRequestWithBodies = Type.Object(
  {
    ...loggedRequestFacts,
    request_body: bodyText("request's body"),
    answer_body: bodyText("answer's body"),
  },
  { description: "A request that was made, with what was sent and what was answered." },
);
export type LoggedRequestWithBodies = Static<typeof LoggedRequestWithBodies>;

export const requestOutcomes = ["succeeded", "failed", "2xx", "4xx", "5xx"] as const;
export type RequestOutcome = (typeof requestOutcomes)[number];

export const ListRequestLogs = listQuery({
  status: oneOrMore(requestOutcomes, "Only those with this outcome."),
  method: oneOrMore(requestMethods, "Only those of this method."),
  path: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: "Only those whose path begins so: `/api/v1/refunds`.",
    }),
  ),
  endpoint: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: "Only those of this endpoint: `POST /charges`.",
    }),
  ),
  error_code: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: "Only those with this error." }),
  ),
  actor_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: "Only those of this key or person." }),
  ),
  object_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: "Only those about this object: `ch_…`, `cs_…`, `re_…` and so on.",
    }),
  ),
});
export type ListRequestLogs = Static<typeof ListRequestLogs>;

/** One error of one endpoint, with its number of occurrences. */
export const RequestErrorGroup = Type.Object(
  {
    object: Type.Literal("request_error", { description: "Always `request_error`." }),
    endpoint: Type.String({ description: "Where it happened." }),
    error_code: Type.String({ description: "What was wrong." }),
    status: Type.Integer({ description: "The HTTP status of the newest." }),
    count: Type.Integer({ minimum: 1, description: "How often it was seen." }),
    first_seen: unixTime("When it was first seen in this time"),
    last_seen: unixTime("When it was last seen"),
    last_request_id: Type.String({ description: "The newest request with it." }),
  },
  { description: "The same error of the same endpoint, however often." },
);
export type RequestErrorGroup = Static<typeof RequestErrorGroup>;

export const ListRequestErrors = Type.Object(
  {
    hours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 720,
        default: 24,
        description: "Of how many hours, back from now.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type ListRequestErrors = Static<typeof ListRequestErrors>;
