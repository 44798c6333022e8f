import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { newId } from "../../src/core/ids.ts";
import { evidencePdf } from "../evidence-file.ts";
import { createPerson } from "../person.ts";
import { startShop } from "../shop.ts";

/*
 * The examples of the API reference are made from the schemas' examples, which are written by hand. For every endpoint,
 * the printed request must succeed, and the printed response must have the same shape as the real response.
 */
const shop = await startShop({ workers: false });
after(() => shop.close());

type Operation = {
  readonly operationId: string;
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: object }>>;
  };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
};
type Endpoint = { readonly method: string; readonly path: string; readonly operation: Operation };

const document = (await shop.send("GET", "/openapi.json")).body;
const pages = await Promise.all(
  document.tags.map(({ name }: { name: string }) => shop.send("GET", `/docs/api/${name}`)),
);
const page = pages.map(({ text }) => text).join("");
const endpoints: Endpoint[] = Object.entries<Record<string, Operation>>(document.paths).flatMap(
  ([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation })),
);
/** The endpoints with a POST, except those whose body is a file. */
const posts = endpoints.filter(
  ({ method, operation: { requestBody } }) =>
    method === "post" && (!requestBody || "application/json" in requestBody.content),
);

const entities: Record<string, string> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };

/** Returns the code block with this caption in the endpoint's section of the page. */
function printed({ operationId }: Operation, caption: "Request" | "Response"): string {
  const section = page.split(`id="${operationId}"`)[1]?.split("</section>")[0] ?? "";
  const before = caption === "Request" ? '-curl-panel"[^>]*>' : `>${caption}[^<]*</figcaption>`;
  const block = new RegExp(`${before}<pre[^>]*><code[^>]*>([^<]*)</code>`);
  const code = block.exec(section)?.[1];
  assert.ok(code, `${operationId} shows no ${caption}`);
  return code.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => entities[name] as string);
}

function printedBody(operation: Operation) {
  const body = /-d '(.*)'$/s.exec(printed(operation, "Request"))?.[1];
  return body === undefined ? undefined : JSON.parse(body);
}

const json = "application/json";

/** Returns the query of the printed request, with its question mark. */
function printedQuery(operation: Operation): string {
  return /^curl "[^?"]*(\?[^"]*)"/.exec(printed(operation, "Request"))?.[1] ?? "";
}

const operationAt = (method: string, path: string): Operation =>
  document.paths[`/api/v1${path}`][method];
const printedResponse = (operation: Operation) => JSON.parse(printed(operation, "Response"));

test("each request body matches its schema in the document", () => {
  const ajv = new Ajv2020({ strict: false });
  const { components } = document;
  assert.ok(posts.length > 30);
  for (const { path, operation } of posts) {
    const body = printedBody(operation);
    const schema = operation.requestBody?.content[json]?.schema;
    assert.equal(body === undefined, schema === undefined, path);
    if (!schema) continue;
    const check = ajv.compile({ ...schema, components });
    assert.ok(check(body), `${path} ${ajv.errorsText(check.errors)}`);
  }
});

test("each printed response matches its schema in the document", () => {
  const ajv = new Ajv2020({ strict: false });
  const { components } = document;
  for (const { path, operation } of posts) {
    const { content } = Object.values(operation.responses)[0] ?? {};
    const schema = content?.[json]?.schema;
    if (!schema) continue;
    const check = ajv.compile({ ...schema, components });
    assert.ok(check(printedResponse(operation)), `${path} ${ajv.errorsText(check.errors)}`);
  }
});

test("the printed response of a request that ends something shows the new status", () => {
  const statusAfter = (path: string) => printedResponse(operationAt("post", path)).status;
  assert.deepEqual(
    Object.fromEntries(
      [
        "/charges/{id}/capture",
        "/charges/{id}/cancel",
        "/checkout_sessions/{id}/expire",
        "/disputes/{id}/evidence",
        "/disputes/{id}/accept",
        "/webhook_deliveries/{id}/resend",
        "/test_helpers/refunds/{id}/fail",
        "/test_helpers/payouts/{id}/fail",
        "/test_helpers/disputes/{id}/close",
      ].map((path) => [path, statusAfter(path)]),
    ),
    {
      "/charges/{id}/capture": "succeeded",
      "/charges/{id}/cancel": "canceled",
      "/checkout_sessions/{id}/expire": "expired",
      "/disputes/{id}/evidence": "under_review",
      "/disputes/{id}/accept": "lost",
      "/webhook_deliveries/{id}/resend": "pending",
      "/test_helpers/refunds/{id}/fail": "failed",
      "/test_helpers/payouts/{id}/fail": "failed",
      "/test_helpers/disputes/{id}/close": "won",
    },
  );
});

/** Error codes of valid requests for an object that does not exist or is in the wrong state. */
const notThere = [
  "resource_missing",
  "balance_insufficient",
  "application_incomplete",
  "owner_required",
  "livemode_mismatch",
];

test("each printed request is accepted if the object in its path exists", async () => {
  const owner = await createPerson(shop);
  for (const { path, operation } of posts) {
    const below = path.slice("/api/v1".length).replace("{id}", newId("ch", shop.clock.now()));
    const isUpload = operation.requestBody?.content["application/pdf"] !== undefined;
    // Skips uploads of other files, because the reference prints no example file for them.
    if (!isUpload && operation.requestBody && !operation.requestBody.content[json]) continue;
    const { status, body } = await owner.api(
      "POST",
      below + printedQuery(operation),
      isUpload ? evidencePdf : printedBody(operation),
      false,
      isUpload ? { "content-type": "application/pdf" } : {},
    );
    if (status < 300) continue;
    const { code, message } = body.error;
    assert.ok(notThere.includes(code), `${path} is rejected with ${code}: ${message}`);
  }
});

test("the url of each printed list is the path of its endpoint", () => {
  const lists = endpoints.filter(
    ({ method, operation }) =>
      method === "get" && printed(operation, "Response").includes(`"object": "list"`),
  );
  assert.ok(lists.length > 15);
  for (const { path, operation } of lists) assert.equal(printedResponse(operation).url, path);
});

test("the printed session response repeats the request and has an embed_url", () => {
  const operation = operationAt("post", "/checkout_sessions");
  const { session, embed_url } = printedResponse(operation);
  const sent = printedBody(operation);
  for (const name of Object.keys(sent)) assert.deepEqual(session[name], sent[name], name);
  assert.equal(session.success_url, "https://shop.example/thanks");
  assert.match(embed_url, /^https:.*\/embed\/cs_/);
  assert.equal(session.embed_url, embed_url);
  assert.deepEqual(session.allowed_origins, []);
});

test("the printed list entry repeats the value of the request", () => {
  const operation = operationAt("post", "/list_entries");
  const { metadata: _, ...sent } = printedBody(operation);
  assert.deepEqual(sent, { list: "block", attribute: "email", value: "eve@example.com" });
  const { list, attribute, value } = printedResponse(operation);
  assert.deepEqual({ list, attribute, value }, sent);
});
