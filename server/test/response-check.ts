import assert from "node:assert/strict";
import { ChallengeForm, ChallengeStep } from "@florin/contract/challenge.ts";
import {
  AppleSession,
  EndedFrameSession,
  FrameSession,
  StoredCard,
} from "@florin/contract/frame.ts";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import Type from "typebox";
import type { Reply } from "./client.ts";

/**
 * Validates every response of every test against the OpenAPI document that the service serves. A missing, mistyped or
 * undocumented field fails the test that received it. The whole test suite therefore verifies that the document is
 * correct.
 */
export type ResponseCheck = (method: string, path: string, reply: Reply) => void;

type Json = { readonly [name: string]: unknown };
type Operation = { readonly responses: Readonly<Record<string, unknown>> };
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

/** A route that only Florin's own pages call, with the schema of its response. */
type PrivateRoute = {
  readonly method: string;
  readonly url: string;
  readonly returns: object | null;
};

/** Returns the function that checks responses against a document. Creating it takes longer than starting a service. */
export function responseCheckOf(
  document: Document,
  routes: readonly PrivateRoute[] = [],
): ResponseCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addSchema({ ...(strict(document) as object), $id: "florin" });
  const ofRoutes = routes.flatMap(({ method, url, returns: schema }) =>
    schema ? [{ pattern: new RegExp(`^${method} ${url.replace(/:\w+/g, "[^/]+")}$`), schema }] : [],
  );
  // Each schema is compiled only when its first response arrives, because a test file receives responses of few
  // schemas.
  const ofPages = [...frameResponses, ...ofRoutes].map(({ pattern, schema }) => {
    let validate: ValidateFunction | undefined;
    return {
      pattern,
      validator: () =>
        (validate ??= ajv.compile(strict(JSON.parse(JSON.stringify(schema))) as object)),
    };
  });
  // Paths without parameters come first, as in the router: `/charges/count` is not the charge with the ID `count`.
  const byParameters = Object.entries(document.paths).toSorted(
    ([one], [other]) => one.split("{").length - other.split("{").length,
  );
  const operations = byParameters.map(([template, methods]) => ({
    template,
    pattern: new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`),
    methods,
  }));
  const compiled = new Map<string, ValidateFunction>();

  /** Returns the first documented operation at the path, and its responses to the method. Both can be undefined. */
  function operationAt(method: string, path: string) {
    const operation = operations.find(({ pattern }) => pattern.test(path));
    return { operation, responses: operation?.methods[method.toLowerCase()]?.responses };
  }

  function schemaAt(pointer: string): ValidateFunction {
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: `florin#${pointer}` });
    compiled.set(pointer, known);
    return known;
  }

  function schemaOf(method: string, path: string, status: number): ValidateFunction | null {
    if (status >= 400) {
      assertDocumented(method, path, status);
      return schemaAt("/components/schemas/Error");
    }
    const ofPage = ofPages.find(({ pattern }) => pattern.test(`${method} ${path}`));
    if (ofPage) return ofPage.validator();
    const { operation, responses } = operationAt(method, path);
    if (!operation || !responses) return null;
    assert.ok(
      responses[status],
      `${method} ${path} returned ${status}, which is not in the document`,
    );
    const location = [operation.template, method.toLowerCase(), "responses", String(status)];
    const pointer = ["paths", ...location, "content", "application/json", "schema"];
    return schemaAt(`/${pointer.map(escapePointer).join("/")}`);
  }

  /** Asserts that the document lists the status of an error, if the path and the method are in the document. */
  function assertDocumented(method: string, path: string, status: number): void {
    const responses = operations
      .filter(({ pattern }) => pattern.test(path))
      .map(({ methods }) => methods[method.toLowerCase()]?.responses)
      .filter((one) => one !== undefined);
    // A person who has left the account gets a 404 from every endpoint. The document does not list this status, because
    // it describes requests with an API key.
    if (responses.length === 0 || status === 404) return;
    assert.ok(
      responses.some((one) => one[status]),
      `${method} ${path} returned ${status}, which is not in the document`,
    );
  }

  /** Asserts that the document lists the media type of a response that is not JSON. */
  function assertMediaType(method: string, path: string, { status, headers }: Reply): void {
    const response = operationAt(method, path).responses?.[status];
    if (!response) return;
    const { content = {} } = response as { readonly content?: Readonly<Record<string, unknown>> };
    const mediaType = headers.get("content-type")?.split(";")[0] ?? "";
    assert.ok(
      content[mediaType],
      `${method} ${path} returned '${mediaType}', which is not in the document`,
    );
  }

  return (method, fullPath, reply) => {
    const path = fullPath.split("?")[0] as string;
    assert.match(
      reply.headers.get("request-id") ?? "",
      /^req_[0-9a-z]{26}$/,
      `${method} ${path} has no Request-Id`,
    );
    assert.ok(
      mayHaveCacheControl(path, reply),
      `${method} ${path} (${reply.status}) has Cache-Control: ${reply.headers.get("cache-control")}`,
    );
    // Outside of the API, such as on the origin of the wallets, errors are not JSON.
    if (!reply.isJson && reply.status < 400) assertMediaType(method, path, reply);
    const validate = reply.isJson ? schemaOf(method, path, reply.status) : null;
    if (!validate || validate(reply.body)) return;
    const violations = ajv.errorsText(validate.errors, { separator: "\n" });
    assert.fail(
      `${method} ${path} returned ${reply.status} with a body that violates the document:\n${violations}`,
    );
  };
}

const permanently = "public, max-age=31536000, immutable";

/** The paths of files and pages that are the same for every caller. No cache may store a response of any other path. */
const cacheablePaths: readonly (readonly [path: RegExp, cacheControl: string])[] = [
  [/^\/embed\/(assets|loader)\//, permanently],
  [/^\/embed\.js$/, "public, max-age=300"],
  [/^\/google-pay\/.+\.js$/, permanently],
  [/^\/branding\//, permanently],
  [/^\/dashboard\/assets\//, permanently],
  [/^\/dashboard\/[^/]+\.\w+$/, "no-cache"],
  [/^\/(docs|docs\/.*|llms\.txt|openapi\.json)$/, "no-cache"],
];

/**
 * Returns whether a response may have its `cache-control` header. Every response may have `no-store`. A successful
 * response at a cacheable path may have the header for this path.
 */
function mayHaveCacheControl(path: string, { status, headers }: Reply): boolean {
  const given = headers.get("cache-control");
  if (given === "no-store") return true;
  const [, expected] = cacheablePaths.find(([pattern]) => pattern.test(path)) ?? [];
  return given === expected && (status === 200 || status === 304);
}

/** The responses of the private APIs of the card form and the challenge document. The public document omits them. */
const frameResponses = [
  {
    pattern: /^(GET|POST) \/challenge\/.*\/(step|begin|authenticate|cancel)$/,
    schema: ChallengeStep,
  },
  { pattern: /^POST \/challenge\/.*\/challenge$/, schema: ChallengeForm },
  { pattern: /^POST \/vault\/cards$/, schema: StoredCard },
  {
    pattern: /^POST \/embed\/api\/checkout_sessions\/.*\/apple_pay_session$/,
    schema: AppleSession,
  },
  {
    pattern: /^(GET|POST) \/embed\/api\/checkout_sessions\//,
    schema: Type.Union([FrameSession, EndedFrameSession]),
  },
];

/** Escapes a part of a JSON Pointer (RFC 6901) in a URI fragment. */
function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));
}

/** Returns the schema with `additionalProperties: false`, because a response must not contain an undocumented field. */
export function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== "object" || schema === null) return schema;
  const members = Object.fromEntries(
    Object.entries(schema as Json).map(([name, member]) => [name, strict(member)]),
  );
  const names = (schema as Json).properties;
  const isObjectSchema = (schema as Json).type === "object" && typeof names === "object";
  return isObjectSchema ? { additionalProperties: false, ...members } : members;
}
