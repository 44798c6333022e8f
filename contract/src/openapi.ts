import type { TSchema } from "typebox";
import { Account } from "./account.ts";
import { Address, BillingDetails, ShippingDetails } from "./address.ts";
import { ApiKey, ApiKeyWithSecret } from "./api-key.ts";
import { Application, ApplicationDocument, ApplicationState } from "./application.ts";
import { AuditEntry } from "./audit.ts";
import { Balance, BalanceTransaction, Payout } from "./balance.ts";
import { Charge, NextAction, ThreeDSecure } from "./charge.ts";
import { CheckoutSession, LineItem } from "./checkout-session.ts";
import { currencies } from "./currency.ts";
import { Customer } from "./customer.ts";
import { Decision } from "./decision.ts";
import { declineCodes } from "./declines.ts";
import { Dispute, DisputeFile, EvidenceDraft } from "./dispute.ts";
import type { DocumentMediaType } from "./document-media-types.ts";
import { ErrorEnvelope, errorCodes } from "./errors.ts";
import { Event, type EventType, eventTypes } from "./event.ts";
import { exampleId } from "./ids.ts";
import { ListEntry } from "./list-entry.ts";
import { PaymentMetrics } from "./metrics.ts";
import {
  errorComponents,
  errorResponse,
  errorsOf,
  headerComponents,
  successHeaders,
  type UploadLimits,
} from "./openapi-errors.ts";
import { operationDescriptions, tagDescriptions } from "./operation-descriptions.ts";
import { operationId } from "./operation-id.ts";
import { PaymentMethod } from "./payment-method.ts";
import { keyPermissions, type Permission } from "./permissions.ts";
import { Receipt } from "./receipt.ts";
import { Refund } from "./refund.ts";
import { LoggedRequest, LoggedRequestWithBodies, RequestErrorGroup } from "./request-log.ts";
import { Rule, RuleTrial } from "./rule.ts";
import { SavedView } from "./saved-view.ts";
import { SearchResult } from "./search.ts";
import { Invitation, Member } from "./team.ts";
import { ChargeLedger, ChargeTimeline } from "./timeline.ts";
import { withNulls } from "./unset-nulls.ts";
import {
  DeliveryAttempt,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from "./webhook-endpoint.ts";
import { WebhookEvent, webhookEventName, webhookEventSchemas } from "./webhook-event.ts";

/** The description of an endpoint: a route of the server without its handler. */
export type RouteDescription = {
  readonly method: "GET" | "POST" | "DELETE";
  /** The path below `/api/v1`, with `:id` for a parameter: `/charges/:id`. */
  readonly path: string;
  readonly summary: string;
  readonly permission: Permission;
  /**
   * True if only a signed-in person can call the endpoint, even though an API key can have the endpoint's permission.
   */
  readonly peopleOnly?: true;
  readonly body?: TSchema;
  readonly query?: TSchema;
  /** Headers that the endpoint reads in addition to the common ones, as the fields of an object. */
  readonly headers?: TSchema;
  /** The limits of the body, if it is a file. */
  readonly upload?: UploadLimits;
  readonly response: TSchema;
  /** The media types that the response can have if it is not JSON. */
  readonly produces?: readonly ("text/csv" | "text/event-stream" | DocumentMediaType)[];
  readonly status: 200 | 201;
  /** True if the acquirer can decline the operation, which returns a 402. */
  readonly callsAcquirer?: true;
  /** Error responses that are specific to the endpoint, by status. They replace the common ones. */
  readonly rejections?: Readonly<Record<number, string>>;
};

export type DocumentOptions = {
  readonly version: string;
  /** The origin of the service, without a trailing slash. */
  readonly serverUrl?: string;
};

/** The currencies that the service supports. Requests with another currency fail with `currency_unsupported`. */
const Currency = {
  type: "string",
  enum: currencies,
  description: "ISO 4217 code in lower case, such as `usd`.",
} as unknown as TSchema;

/** The schemas that have a name in the document. Paths refer to these schemas by name. */
const namedSchemas: Record<string, TSchema> = {
  Account,
  Address,
  Application,
  ApplicationDocument,
  ApplicationState,
  ApiKey,
  ApiKeyWithSecret,
  AuditEntry,
  Balance,
  BalanceTransaction,
  BillingDetails,
  Charge,
  ChargeLedger,
  ChargeTimeline,
  CheckoutSession,
  Currency,
  Customer,
  Decision,
  DeliveryAttempt,
  Dispute,
  DisputeFile,
  EvidenceDraft,
  Error: ErrorEnvelope,
  Event: WebhookEvent,
  Invitation,
  LineItem,
  ListEntry,
  LoggedRequest,
  LoggedRequestWithBodies,
  Member,
  NextAction,
  PaymentMethod,
  PaymentMetrics,
  Payout,
  Receipt,
  Refund,
  RequestErrorGroup,
  Rule,
  RuleTrial,
  SavedView,
  SearchResult,
  ShippingDetails,
  ThreeDSecure,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  ...Object.fromEntries(
    eventTypes.map((type) => [webhookEventName(type), webhookEventSchemas[type]]),
  ),
};

const nameOf = new Map<unknown, string>([
  ...Object.entries(namedSchemas).map(([name, schema]) => [schema, name] as const),
  // The server's schema `Event` does not describe `data.object`. The document therefore contains `WebhookEvent`
  // instead, under the name `Event`.
  [Event, "Event"],
]);

export type JsonSchema = Readonly<Record<string, unknown>>;

export type Parameter = {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly style?: "deepObject" | "form";
  readonly explode?: boolean;
};

export type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
  };
  readonly responses: Readonly<Record<string, unknown>>;
  /** The permission that a restricted key needs. */
  readonly "x-permission": Permission;
};

/** A request that the service sends to a merchant's server. */
export type Webhook = {
  readonly post: Omit<Operation, "x-permission" | "parameters"> & {
    readonly parameters: readonly { readonly $ref: string }[];
  };
};

export type OpenApiDocument = {
  readonly openapi: "3.1.0";
  readonly info: Readonly<Record<string, unknown>> & {
    readonly title: string;
    readonly version: string;
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, Webhook>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly responses: Readonly<Record<string, unknown>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
  readonly "x-error-codes": typeof errorCodes;
  readonly "x-decline-codes": typeof declineCodes;
};

/** Returns whether an API key can call the route. Other routes require a session of the dashboard. */
export function isOpenToKeys({ permission, peopleOnly }: RouteDescription): boolean {
  return !peopleOnly && keyPermissions.includes(permission);
}

/** Returns the OpenAPI 3.1 document of these routes. */
export function openApi(
  routes: readonly RouteDescription[],
  options: DocumentOptions,
): OpenApiDocument {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const path = `/api/v1${route.path.replace(/:(\w+)/g, "{$1}")}`;
    const operations = paths[path] ?? {};
    operations[route.method.toLowerCase()] = operation(route);
    paths[path] = operations;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Florin API",
      version: options.version,
      description:
        "Card payments: checkout sessions, charges, decisions and webhooks. Bodies are JSON, times are Unix seconds, and amounts are integers in the smallest unit of the currency.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      contact: { name: "The operator of this service" },
    },
    servers: [{ url: options.serverUrl ?? "/", description: "This service." }],
    security: [{ secretKey: [] }],
    tags: [...new Set(routes.map(nounOf)), "webhooks"].map((name) => ({
      name,
      description: tagDescriptions[name] ?? `Operations below \`/api/v1/${name}\`.`,
    })),
    paths,
    webhooks: webhooks(),
    components: components(paths),
    "x-error-codes": errorCodes,
    "x-decline-codes": declineCodes,
  };
}

/** Returns the requests that the service sends, by event type. */
function webhooks(): OpenApiDocument["webhooks"] {
  return Object.fromEntries(eventTypes.map((type) => [type, webhook(type)]));
}

function webhook(type: EventType): Webhook {
  const { description } = webhookEventSchemas[type];
  const schema = { $ref: `#/components/schemas/${webhookEventName(type)}` };
  return {
    post: {
      operationId: `webhooks.${type}`,
      summary: type,
      description,
      tags: ["webhooks"],
      parameters: Object.keys(webhookHeaders).map((name) => ({
        $ref: `#/components/parameters/${name}`,
      })),
      requestBody: { required: true, content: jsonContent(schema) },
      responses: {
        "2XX": { description: "Your server accepted the event. The body is ignored." },
        "3XX": { description: "A redirect is not followed. The event is sent again later." },
        "410": { description: "Your server does not want more events. The endpoint is disabled." },
        "4XX": { description: "Your server rejected the event. It is sent again later." },
        "5XX": { description: "Your server failed. The event is sent again later." },
      },
    },
  };
}

/** The headers of a webhook, as components of the document. */
const webhookHeaders: Readonly<Record<string, Parameter>> = {
  ServiceSignature: webhookHeader(
    "Service-Signature",
    'Time and signatures: `t=<Unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">`. Verify it before you trust the body.',
    "t=1767225600,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd",
  ),
  WebhookId: webhookHeader(
    "webhook-id",
    "ID of the event, as Standard Webhooks defines it.",
    exampleId("evt"),
  ),
  WebhookTimestamp: webhookHeader(
    "webhook-timestamp",
    "Time of the attempt in Unix seconds, as Standard Webhooks defines it.",
    "1767225600",
  ),
  WebhookSignature: webhookHeader(
    "webhook-signature",
    "Signatures in base64, as Standard Webhooks defines them.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ),
};

function webhookHeader(name: string, description: string, example: string): Parameter {
  const schema = { type: "string", examples: [example] };
  return { name, in: "header", required: true, description, schema };
}

function components(paths: OpenApiDocument["paths"]): OpenApiDocument["components"] {
  return {
    schemas: schemasIn(paths),
    parameters: {
      IdempotencyKey: {
        name: "Idempotency-Key",
        in: "header",
        required: false,
        description:
          "Optional, but recommended: identifier that makes the request idempotent. A request with the same key and body within 24 hours returns the first response.",
        schema: { type: "string", pattern: "^[\\x20-\\x7e]{1,255}$", examples: ["order-1042"] },
      },
      ...webhookHeaders,
    },
    headers: headerComponents,
    responses: errorComponents(),
    securitySchemes: {
      secretKey: {
        type: "http",
        scheme: "bearer",
        description:
          "A secret key (`sk_test_…`, `sk_live_…`), or a restricted key (`rk_test_…`, `rk_live_…`) with the operation's `x-permission`. Use it only on your server.",
      },
    },
  };
}

/** Returns the named schemas to which the paths refer, directly or indirectly, in the order of the table. */
function schemasIn(paths: OpenApiDocument["paths"]): Record<string, JsonSchema> {
  const known = Object.entries(namedSchemas).map(
    ([name, schema]) => [name, plainEntries(schema)] as const,
  );
  const used = new Set(["Error"]);
  for (let texts = [JSON.stringify([paths, webhooks()])]; texts.length > 0; ) {
    const found = known.filter(
      ([name]) =>
        !used.has(name) && texts.some((text) => text.includes(`"#/components/schemas/${name}"`)),
    );
    for (const [name] of found) used.add(name);
    texts = found.map(([, schema]) => JSON.stringify(schema));
  }
  return Object.fromEntries(known.filter(([name]) => used.has(name)));
}

function operation(route: RouteDescription): Operation {
  const id = operationId({ ...route, returnsList: isList(route.response) });
  return {
    operationId: id,
    summary: route.summary,
    // Operations that only signed-in people can call are not in the public document, and have no description.
    description: operationDescriptions[id] ?? `${route.summary}.`,
    tags: [nounOf(route)],
    parameters: parameters(route),
    ...requestBody(route),
    responses: {
      [route.status]: {
        description: route.status === 201 ? "The object was created." : "The request succeeded.",
        headers: successHeaders(route.method),
        content: contentOf(route.produces ?? ["application/json"], plain(route.response)),
      },
      ...errorsOf(route),
      ...rejections(route),
    },
    "x-permission": route.permission,
  };
}

function isList(response: TSchema): boolean {
  const { properties } = response as {
    readonly properties?: { readonly object?: { readonly const?: unknown } };
  };
  return properties?.object?.const === "list";
}

function requestBody({ body, upload }: RouteDescription): Pick<Operation, "requestBody"> {
  if (upload) {
    const content = upload.mediaTypes.map((contentMediaType) => [
      contentMediaType,
      { schema: { contentMediaType, description: "The bytes of the file." } },
    ]);
    return { requestBody: { required: true, content: Object.fromEntries(content) } };
  }
  if (!body) return {};
  const required = ((body as JsonSchema).required ?? []) as readonly string[];
  return {
    requestBody: { required: required.length > 0, content: jsonContent(plain(withNulls(body))) },
  };
}

function rejections({ rejections = {} }: RouteDescription): Operation["responses"] {
  return Object.fromEntries(
    Object.entries(rejections).map(([status, description]) => [
      status,
      errorResponse(Number(status), description),
    ]),
  );
}

function parameters(route: RouteDescription): Operation["parameters"] {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(
    ([, name = ""]): Parameter => ({
      name,
      in: "path",
      required: true,
      description: "ID of the object.",
      schema: { type: "string" },
    }),
  );
  const idempotencyKey =
    route.method === "POST" ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : [];
  return [
    ...inPath,
    ...fieldsAs("query", route.query),
    ...fieldsAs("header", route.headers),
    ...idempotencyKey,
  ];
}

function fieldsAs(place: "query" | "header", fields: TSchema | undefined): Parameter[] {
  const { properties = {}, required } = (fields ?? {}) as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => {
    const { description = schema.description, ...rest } = plain(schema);
    const isObject = rest.type === "object";
    // `amount=1000` beside `amount[gte]=1000`
    const exact = isObject && (rest.properties as Record<string, JsonSchema> | undefined)?.gte;
    return {
      name,
      in: place,
      required: required?.includes(name) ?? false,
      description: typeof description === "string" ? description : "",
      schema: exact ? { anyOf: [numberOf(exact), rest] } : rest,
      // `created[gte]=…`
      ...(isObject && { style: "deepObject", explode: true }),
      // `status=failed,canceled`
      ...(rest.type === "array" && { style: "form", explode: false }),
    };
  });
}

function numberOf({ description, ...number }: JsonSchema): JsonSchema {
  return number;
}

function jsonContent(schema: JsonSchema) {
  return contentOf(["application/json"], schema);
}

function contentOf(mediaTypes: readonly string[], schema: JsonSchema) {
  return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));
}

/** Returns the resource of a route. `/charges/:id/capture` and `/charges.csv` belong to `charges`. */
function nounOf(route: RouteDescription): string {
  return route.path.split(/[/.]/)[1] ?? "";
}

/** Returns a schema as plain JSON, with references to named schemas. */
function plain(schema: unknown): JsonSchema {
  const isCurrency = (schema as JsonSchema)["x-florin"] === "currency";
  const name = isCurrency ? "Currency" : nameOf.get(schema);
  return name === undefined ? plainEntries(schema) : { $ref: `#/components/schemas/${name}` };
}

function plainEntries(schema: unknown): JsonSchema {
  const entries = Object.entries(schema as object)
    // Omits our validator's own keywords, which have no meaning for other validators.
    .filter(([keyword]) => keyword !== "x-florin")
    .map(([keyword, value]) => [keyword, plainKeyword(keyword, value)]);
  return Object.fromEntries(entries);
}

function plainKeyword(keyword: string, value: unknown): unknown {
  if (keyword === "properties" || keyword === "patternProperties") {
    return Object.fromEntries(
      Object.entries(value as object).map(([name, property]) => [name, plain(property)]),
    );
  }
  if (keyword === "items") return plain(value);
  if (keyword === "anyOf") return (value as unknown[]).map(plain);
  return value;
}
