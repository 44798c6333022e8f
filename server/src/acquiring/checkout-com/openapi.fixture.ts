import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { CheckoutComRequest } from "./requests.ts";

/** Checkout.com's official OpenAPI document of 2021 is stored outside the repository. */
const path = join(
  import.meta.dirname,
  "../../../../../shared/reference/acquirers/nas-openapi.json",
);

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Record<string, Schema> };
};
type Operation = {
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: object }>>;
  };
};
type Schema = { properties?: Record<string, { enum?: string[] }> };

/**
 * A request with its body as sent. A request that the document does not know must be in `newer`.
 */
export type SentRequest = Pick<CheckoutComRequest, "method" | "path"> & { readonly body: unknown };

/** Requests that are newer than the document, by their method and path, with the page that documents them. */
const newer: Readonly<Record<string, string>> = {
  "GET /payments": "checkout.com/docs/payments/manage-payments/get-a-list-of-payments",
  "GET /reports/{id}": "api-reference.checkout.com, Reports",
  "GET /reports/{id}/files/{id}": "api-reference.checkout.com, Reports",
};

/**
 * Returns a function that asserts that a request is valid, or the reason why tests against the document are skipped.
 */
export function requestValidator(): ((request: SentRequest) => void) | string {
  if (!existsSync(path)) return `Checkout.com's OpenAPI document is not at ${path}.`;
  const document: Document = JSON.parse(readFileSync(path, "utf8"));
  // Later documents have this value
  // (checkout.com/docs/payments/accept-payments/pay-with-stored-card-details/unscheduled-payments-with-stored-card-details).
  document.components.schemas.PaymentRequest?.properties?.payment_type?.enum?.push("Unscheduled");
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });
  ajv.addSchema(document, "nas");
  const assertValid = (schema: string, value: unknown) => {
    const validate = ajv.compile({ $ref: `nas#/components/schemas/${schema}` });
    assert.ok(validate(value), `${schema}: ${ajv.errorsText(validate.errors)}`);
  };
  return ({ method, path: sent, body }) => {
    const template = templateOf(sent);
    if (Object.hasOwn(newer, `${method} ${template}`)) return;
    const known = Object.entries(document.paths).find(
      ([name]) => name.replaceAll(/\{\w+\}/g, "{id}") === template,
    )?.[1];
    const operation = known?.[method.toLowerCase()];
    assert.ok(operation, `The document has no ${method} ${template}.`);
    const schema = operation.requestBody?.content["application/json"]?.schema;
    if (schema === undefined) return;
    for (const name of schemasIn(schema)) assertValid(name, body ?? {});
    // In the document, a discriminator selects the schema of `source`. The validator ignores discriminators, so the
    // schema is selected here.
    const { source, type } = (body ?? {}) as {
      source?: { readonly type?: unknown };
      type?: unknown;
    };
    if (template === "/tokens") assertValid(tokenSchemas[String(type)] ?? "", body);
    if (!source) return;
    assertValid(sourceSchemas[String(source.type)] ?? "PaymentRequestCardSource", source);
  };
}

const sourceSchemas: Readonly<Record<string, string>> = {
  network_token: "PaymentRequestNetworkTokenSource",
  token: "PaymentRequestTokenSource",
};

const tokenSchemas: Readonly<Record<string, string>> = {
  googlepay: "GooglePayTokenRequest",
  applepay: "ApplePayTokenRequest",
};

/** Replaces IDs in the path, and removes the query. */
function templateOf(sent: string): string {
  return (sent.split("?")[0] ?? "").replaceAll(/\/(?:pay|dsp|rpt|file)_\w+/g, "/{id}");
}

/** Returns the schemas of a request body. A payment request is the first of two alternatives. */
function schemasIn(schema: object): string[] {
  const { $ref, oneOf } = schema as { $ref?: string; oneOf?: readonly { $ref: string }[] };
  const reference = $ref ?? oneOf?.[0]?.$ref;
  return reference === undefined ? [] : [reference.split("/").at(-1) as string];
}
