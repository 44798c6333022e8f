import assert from "node:assert/strict";
import { test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import Type from "typebox";
import { Charge, CreateCharge, ListCharges, UpdateCharge } from "./charge.ts";
import { CheckoutSessionCreated, CreateCheckoutSession } from "./checkout-session.ts";
import { currencies } from "./currency.ts";
import { DisputeFile, FileContent, maxDisputeFileBytes } from "./dispute.ts";
import { documentMediaTypes } from "./document-media-types.ts";
import { errorCodes } from "./errors.ts";
import { StreamEvents, StreamHeaders } from "./event.ts";
import { ListOf } from "./list.ts";
import { openApi, type RouteDescription } from "./openapi.ts";
import { WebhookEndpointDeleted } from "./webhook-endpoint.ts";

const routes: RouteDescription[] = [
  {
    method: "POST",
    path: "/charges",
    summary: "Charge a card",
    permission: "payments:write",
    body: CreateCharge,
    response: Charge,
    status: 201,
  },
  {
    method: "GET",
    path: "/charges",
    summary: "List charges",
    permission: "payments:read",
    query: ListCharges,
    response: ListOf(Charge, "/api/v1/charges"),
    status: 200,
  },
  {
    method: "GET",
    path: "/charges.csv",
    summary: "Download charges",
    permission: "payments:read",
    response: Type.String(),
    produces: ["text/csv"],
    status: 200,
  },
  {
    method: "GET",
    path: "/charges/:id",
    summary: "Read a charge",
    permission: "payments:read",
    response: Charge,
    status: 200,
  },
  {
    method: "POST",
    path: "/charges/:id",
    summary: "Update a charge",
    permission: "payments:write",
    body: UpdateCharge,
    response: Charge,
    status: 200,
  },
  {
    method: "POST",
    path: "/checkout_sessions",
    summary: "Open a session",
    permission: "payments:write",
    body: CreateCheckoutSession,
    response: CheckoutSessionCreated,
    status: 201,
  },
  {
    method: "POST",
    path: "/dispute_files",
    summary: "Upload a file",
    permission: "disputes:write",
    upload: { mediaTypes: documentMediaTypes, maxBytes: maxDisputeFileBytes },
    response: DisputeFile,
    status: 201,
  },
  {
    method: "GET",
    path: "/dispute_files/:id/content",
    summary: "Download a file",
    permission: "disputes:read",
    response: FileContent,
    produces: documentMediaTypes,
    status: 200,
  },
  {
    method: "GET",
    path: "/events/stream",
    summary: "Follow events",
    permission: "events:read",
    query: StreamEvents,
    headers: StreamHeaders,
    response: Type.String(),
    produces: ["text/event-stream"],
    status: 200,
    rejections: { 429: "Too many are open." },
  },
  {
    method: "DELETE",
    path: "/webhook_endpoints/:id",
    summary: "Delete it",
    permission: "payments:write",
    response: WebhookEndpointDeleted,
    status: 200,
  },
];

/** The document as clients receive it, without values that JSON cannot represent. */
const document = JSON.parse(JSON.stringify(openApi(routes, { version: "0.1.0" })));

test("the document is valid OpenAPI 3.1", async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  assert.equal(valid, true, JSON.stringify(errors, null, 2));
});

test("an operation without responses is invalid, which shows that the validator is effective", async () => {
  const broken = structuredClone(document);
  broken.paths["/api/v1/charges"].post.responses = 7;
  assert.equal((await new Validator().validate(broken)).valid, false);
});

test("every reference resolves", () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)];
  assert.ok(references.length > 20);
  for (const [, pointer = ""] of references) {
    const found = pointer.split("/").reduce((node, key) => node?.[key], document);
    assert.ok(found, pointer);
  }
});

test("every schema compiles as JSON Schema 2020-12, and accepts and rejects charges as expected", () => {
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema({ $id: "document", ...document });
  const { schema } = document.paths["/api/v1/charges"].post.requestBody.content["application/json"];
  const check = ajv.compile({ ...schema, components: document.components });
  const charge = {
    amount: 1999,
    currency: "usd",
    payment_method_id: "pm_card_visa",
    metadata: { order: "7" },
  };
  assert.equal(check(charge), true);
  assert.equal(check({ ...charge, amount: 0 }), false);
  assert.equal(check({ ...charge, statement_descriptor: "FLORIN*SHOP" }), false);
  for (const name of Object.keys(document.components.schemas)) {
    assert.ok(ajv.getSchema(`document#/components/schemas/${name}`), name);
  }
});

test("the download of charges is in the charges section of the reference", () => {
  assert.deepEqual(document.paths["/api/v1/charges.csv"].get.tags, ["charges"]);
  assert.deepEqual(
    document.tags.map(({ name }: { name: string }) => name),
    ["charges", "checkout_sessions", "dispute_files", "events", "webhook_endpoints", "webhooks"],
  );
});

test("every POST supports idempotency keys, and no other method accepts the header", () => {
  const key = { $ref: "#/components/parameters/IdempotencyKey" };
  for (const operations of Object.values<Record<string, { parameters: object[] }>>(
    document.paths,
  )) {
    for (const [method, { parameters }] of Object.entries(operations)) {
      const takesKey = parameters.some(
        (parameter) => JSON.stringify(parameter) === JSON.stringify(key),
      );
      assert.equal(takesKey, method === "post");
    }
  }
});

test("an operation is named after its resource and its verb", () => {
  const ids = Object.values<Record<string, { operationId: string }>>(document.paths)
    .flatMap(Object.values)
    .map(({ operationId }) => operationId);
  assert.deepEqual(ids, [
    "charges.create",
    "charges.list",
    "charges.download",
    "charges.retrieve",
    "charges.update",
    "checkout_sessions.create",
    "dispute_files.create",
    "dispute_files.download",
    "events.stream",
    "webhook_endpoints.delete",
  ]);
});

test("a currency is one of the supported codes, in requests and in responses", () => {
  const currency = { $ref: "#/components/schemas/Currency" };
  const { requestBody } = document.paths["/api/v1/charges"].post;
  const { schema } = requestBody.content["application/json"];
  assert.deepEqual(schema.properties.currency, currency);
  assert.deepEqual(document.components.schemas.Charge.properties.currency, currency);
  assert.deepEqual(document.components.schemas.Currency.enum, currencies);
});

test("each response names its headers, and a 429 and a 503 have Retry-After", () => {
  const { responses } = document.paths["/api/v1/charges"].post;
  const limits = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];
  const created = ["Request-Id", ...limits, "Idempotent-Replayed"];
  assert.deepEqual(Object.keys(responses[201].headers), created);
  const headersOf = (name: string) =>
    Object.keys(document.components.responses[name].headers as object);
  assert.deepEqual(headersOf("TooManyRequests"), ["Request-Id", ...limits, "Retry-After"]);
  assert.deepEqual(headersOf("ServiceUnavailable"), ["Request-Id", "Retry-After"]);
});

test("headers and error responses specific to an endpoint are in its operation", () => {
  const { parameters, responses } = document.paths["/api/v1/events/stream"].get;
  assert.deepEqual(
    parameters.map(({ name, in: place, style }: Record<string, string>) => [name, place, style]),
    [
      ["types", "query", "form"],
      ["Last-Event-ID", "header", undefined],
    ],
  );
  assert.deepEqual(Object.keys(responses), ["200", "400", "401", "403", "429", "500", "503"]);
  assert.deepEqual(responses[429], {
    ...document.components.responses.TooManyRequests,
    description: "Too many are open.",
  });
});

test("an upload and a download list their media types, and an upload its own errors", () => {
  const upload = document.paths["/api/v1/dispute_files"].post;
  assert.deepEqual(Object.keys(upload.requestBody.content), [...documentMediaTypes]);
  assert.equal(
    upload.responses[413].description,
    "The file is larger than 1.5 MiB (`body_too_large`).",
  );
  assert.match(upload.responses[415].description, /not one of `application\/pdf`, `image\/png`,/);
  const download = document.paths["/api/v1/dispute_files/{id}/content"].get;
  assert.deepEqual(Object.keys(download.responses[200].content), [...documentMediaTypes]);
  const { post } = document.paths["/api/v1/charges"];
  assert.deepEqual(post.responses[413], { $ref: "#/components/responses/BodyTooLarge" });
});

test("an error response names codes of its status, and no code that a key can cause is missing", () => {
  const forPeople = [
    "sign_in_required",
    "sign_in_failed",
    "sign_in_throttled",
    "notification_signature_invalid",
  ];
  const responses: Record<string, string[]> = {};
  for (const [name, { description }] of Object.entries<{ description: string }>(
    document.components.responses,
  )) {
    responses[name] = [...description.matchAll(/`([a-z_]+)`/g)].map(([, code = ""]) => code);
  }
  const complete = {
    401: "Unauthorized",
    413: "BodyTooLarge",
    415: "UnsupportedMediaType",
    422: "IdempotencyKeyInUse",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
  };
  for (const [status, name] of Object.entries(complete)) {
    const codes = Object.entries(errorCodes)
      .filter(([code, one]) => one.status === Number(status) && !forPeople.includes(code))
      .map(([code]) => code);
    assert.deepEqual(responses[name]?.toSorted(), codes.toSorted(), name);
  }
  for (const code of responses.Forbidden ?? []) {
    assert.equal(errorCodes[code as keyof typeof errorCodes].status, 403, code);
  }
});

test("a webhook lists every kind of response, because each of them has an effect on the delivery", () => {
  for (const { post } of Object.values<{ post: { responses: object } }>(document.webhooks)) {
    assert.deepEqual(Object.keys(post.responses), ["410", "2XX", "3XX", "4XX", "5XX"]);
  }
});

test("path and query parameters follow OpenAPI's format", () => {
  assert.ok(document.paths["/api/v1/charges/{id}"].get);
  const created = document.paths["/api/v1/charges"].get.parameters.find(
    ({ name }: { name: string }) => name === "created",
  );
  assert.equal(created.style, "deepObject");
  assert.deepEqual(Object.keys(document["x-error-codes"]), Object.keys(errorCodes));
  assert.doesNotMatch(JSON.stringify(document), /x-florin/);
});
