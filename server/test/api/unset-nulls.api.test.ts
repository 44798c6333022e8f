import assert from "node:assert/strict";
import { after, test } from "node:test";
import { newId } from "../../src/core/ids.ts";
import { exampleBody } from "../../src/platform/http/reference-example.ts";
import { reported } from "../application.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop({ workers: false });
after(() => shop.close());

type Schema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
};
type Post = {
  readonly requestBody?: { readonly content: { "application/json"?: { readonly schema: Schema } } };
};

const document = (await shop.send("GET", "/openapi.json")).body;
const posts = Object.entries<{ post?: Post }>(document.paths).flatMap(([path, { post }]) => {
  const schema = post?.requestBody?.content["application/json"]?.schema;
  return schema ? [{ path, schema }] : [];
});

function resolved(schema: Schema): Schema {
  return schema.$ref ? document.components.schemas[schema.$ref.split("/").at(-1) ?? ""] : schema;
}

function acceptsNull(schema: Schema): boolean {
  return schema.type === "null" || (schema.anyOf?.some(acceptsNull) ?? false);
}

/** Returns the optional members of a body, at every depth, for which the OpenAPI document does not allow null. */
function strictMembers(schema: Schema, place: string): string[] {
  const {
    properties = {},
    patternProperties = {},
    items,
    anyOf = [],
    required = [],
  } = resolved(schema);
  const members = Object.entries({ ...properties, ...patternProperties });
  return [
    ...members
      .filter(([name, member]) => !required.includes(name) && !acceptsNull(member))
      .map(([name]) => `${place}.${name}`),
    ...members.flatMap(([name, member]) => strictMembers(member, `${place}.${name}`)),
    ...anyOf.flatMap((one) => strictMembers(one, place)),
    ...(items ? strictMembers(items, `${place}[]`) : []),
  ];
}

/** Returns the body with each absent optional member set to null, at every depth. */
function withNulls(schema: Schema, value: unknown): unknown {
  const { anyOf, items, properties } = resolved(schema);
  if (anyOf) return withNulls(anyOf.find(({ type }) => type !== "null") ?? {}, value);
  if (Array.isArray(value) && items) return value.map((item) => withNulls(items, item));
  if (typeof value !== "object" || value === null || !properties) return value;
  const given = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(properties)
      .map(([name, member]) => [
        name,
        Object.hasOwn(given, name) ? withNulls(member, given[name]) : null,
      ])
      .filter(([name, member]) => member !== null || !required(schema).includes(name as string)),
  );
}

const required = (schema: Schema) => resolved(schema).required ?? [];

test("the document allows null for each optional field of each request body, at every depth", () => {
  assert.ok(posts.length > 25, `${posts.length} operations with a body`);
  assert.deepEqual(
    posts.flatMap(({ path, schema }) => strictMembers(schema, path)),
    [],
  );
});

test("null is accepted in each optional field of every operation", async () => {
  for (const { path, schema } of posts) {
    const example = exampleBody(document.components.schemas, schema as never);
    const body = withNulls(schema, example);
    const below = path.slice("/api/v1".length).replace("{id}", newId("ch", shop.clock.now()));
    // Uses two merchants, so that neither request finds the object that the other request created.
    const plain = await shop.post(below, example);
    const nulls = await shop.post(below, body, { as: shop.otherMerchant.key });
    const outcomes = [plain, nulls].map((reply) =>
      reply.status < 300 ? [reply.status] : errorOf(reply).slice(0, 3),
    );
    assert.deepEqual(outcomes[1], outcomes[0], `${path} ${JSON.stringify(body)} ${nulls.text}`);
  }
});

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const nothingSet = {
  customer_id: null,
  decision_id: null,
  description: null,
  statement_descriptor: null,
  capture_method: null,
  off_session: null,
  return_url: null,
  metadata: null,
};

test("201: a charge with null in each optional field equals the charge without these fields", async () => {
  const fields = ({ status, body }: Awaited<ReturnType<typeof shop.post>>) => {
    const { id, created, decision_id, balance_transaction_id, ...rest } = body;
    return [status, rest];
  };
  const plain = await shop.post("/charges", visa);
  const nulls = await shop.post("/charges", { ...visa, ...nothingSet });
  assert.equal(plain.status, 201);
  assert.deepEqual(fields(nulls), fields(plain));
});

test("201: null in nested objects and in the metadata of a new object also means not set", async () => {
  const { status, body } = await shop.post("/checkout_sessions", {
    currency: "usd",
    amount: null,
    line_items: [{ name: "Tea", quantity: 1, amount: 500 }],
    billing_details: { name: "Ada", email: null, address: { line1: null, country: "DE" } },
    metadata: { order: "1", note: null },
  });
  assert.equal(status, 201, JSON.stringify(body));
  assert.equal(body.session.amount, 500);
  assert.deepEqual(body.session.metadata, { order: "1" });
  assert.equal(body.session.billing_details.address.country, "DE");
});

test("a request with null and one without the field count as the same request for an Idempotency-Key", async () => {
  const first = await shop.post("/charges", visa, { key: "null" });
  const again = await shop.post("/charges", { ...visa, ...nothingSet }, { key: "null" });
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  assert.equal(again.text, first.text);
});

test("200: on an update null leaves a field as it is, unless the field can be removed", async () => {
  const { id, url } = (await shop.post("/webhook_endpoints", { url: "http://127.0.0.1:9/" })).body;
  const updated = await shop.post(`/webhook_endpoints/${id}`, { url: null, status: "disabled" });
  assert.deepEqual([updated.body.url, updated.body.status], [url, "disabled"]);
  const charge = await shop.post("/charges", {
    ...visa,
    description: "Tea",
    metadata: { order: "1", note: "x" },
  });
  const { body } = await shop.post(`/charges/${charge.body.id}`, {
    description: null,
    metadata: { note: null },
  });
  assert.deepEqual([body.description, body.metadata], [null, { order: "1" }]);
});

test("400: null in a required field is rejected, and so is null in a list", async () => {
  const amount = [400, "invalid_request_error", "parameter_invalid_integer", "amount"];
  assert.deepEqual(errorOf(await shop.post("/charges", { ...visa, amount: null })), amount);
  const item = [400, "invalid_request_error", "parameter_invalid", "line_items[0]"];
  const session = { currency: "usd", line_items: [null] };
  assert.deepEqual(errorOf(await shop.post("/checkout_sessions", session)), item);
});

test("200: null also means not set in operations for people only", async () => {
  const { account } = await shop.createMerchant();
  const owner = await createPerson(shop, { account });
  const address = { ...reported.business.address, line2: null, state: null };
  const saved = await owner.api("POST", "/application/business", { ...reported.business, address });
  assert.equal(saved.status, 200, saved.text);
  const { body } = await owner.api("GET", "/application");
  assert.deepEqual(body.sections.business, reported.business);
});
