import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import type {
  JsonSchema,
  OpenApiDocument,
  Operation,
  Parameter,
} from "@florin/contract/openapi.ts";
import { startShop } from "@florin/server/test/shop.ts";
import { buildSdk } from "./build.ts";
import { printType } from "./print-type.ts";

/*
 * Compares the published types of the SDK with the OpenAPI document that the service serves. For each operation, the
 * compiler checks that the method has the body, the query and the response of the document.
 */
const shop = await startShop({ workers: false });
after(() => shop.close());
const document: OpenApiDocument = (await shop.send("GET", "/openapi.json")).body;

/** The schemas of the document, in which each reference is replaced by the schema itself. */
const schemas: Record<string, object> = Object.fromEntries(
  Object.keys(document.components.schemas).map((name) => [name, {}]),
);
for (const [name, schema] of Object.entries(document.components.schemas)) {
  Object.assign(schemas[name] as object, resolved(schema));
}
const names = new Map(Object.entries(schemas).map(([name, schema]) => [schema, `Document${name}`]));

function resolved(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(resolved);
  if (typeof schema !== "object" || schema === null) return schema;
  const { $ref } = schema as { $ref?: unknown };
  if (typeof $ref === "string") return schemas[$ref.split("/").at(-1) ?? ""];
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, resolved(value)]));
}

function typeOf(schema: JsonSchema): string {
  const whole = resolved(schema) as object;
  return names.get(whole) ?? printType(whole, names);
}

/** Returns the type of the parameters in the query of an operation. A list also accepts a single value. */
function queryType(parameters: readonly Parameter[]): string {
  const fields = parameters.map(({ name, required, schema }) => {
    const { type, items } = schema as { type?: unknown; items?: JsonSchema };
    const item = type === "array" && items ? `${typeOf(items)} | ` : "";
    return `${name}${required ? "" : "?"}: ${item}${typeOf(schema)};`;
  });
  return `{ ${fields.join(" ")} }`;
}

const camelCase = (name: string) =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Returns the lines that check the types of one operation. */
function checksOf(path: string, { operationId, ...operation }: Operation): string[] {
  const members = operationId.split(".").map((name) => `[${JSON.stringify(camelCase(name))}]`);
  const method = `Florin${members.join("")}`;
  // The first parameter of the method is the ID in the path, if the path has one.
  const argument = `NonNullable<Parameters<${method}>[${path.includes("{") ? 1 : 0}]>`;
  const check = (sdk: string, inDocument: string) => `true satisfies Same<${sdk}, ${inDocument}>;`;
  const [response] = Object.values(operation.responses) as {
    readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
  }[];
  const json = response?.content?.["application/json"];
  const body = operation.requestBody?.content["application/json"];
  const hasFields = Object.keys(body?.schema.properties ?? {}).length > 0;
  const query = operation.parameters.filter(
    (parameter): parameter is Parameter => "in" in parameter && parameter.in === "query",
  );
  return [
    check(`Awaited<ReturnType<${method}>>`, json ? typeOf(json.schema) : "Download"),
    ...(body && hasFields ? [check(argument, typeOf(body.schema))] : []),
    // An upload has the parameters of its query and the file in one object.
    ...(query.length > 0 && !operation.requestBody ? [check(argument, queryType(query))] : []),
  ];
}

/**
 * Compares two types by their fields and the presence of each field. Without the presence, an optional field that one
 * of the types lacks would go unnoticed.
 */
const comparison = `
import type { Download, Florin } from "@florin/sdk";
type Fields<T> = unknown extends T ? "unknown"
  : T extends readonly (infer Item)[] ? Fields<Item>[]
  : T extends object ? { [K in keyof T]-?: [Record<never, never> extends Pick<T, K> ? "optional" : "required", Fields<Exclude<T[K], undefined>>] }
  : T;
type Same<Sdk, Documented> = [Fields<Sdk>] extends [Fields<Documented>]
  ? [Fields<Documented>] extends [Fields<Sdk>] ? true : "different"
  : "different";
// @ts-expect-error: a field is missing
true satisfies Same<{ a: string }, { a: string; b?: string }>;
// @ts-expect-error: a field is optional
true satisfies Same<{ a?: string }, { a: string }>;
// @ts-expect-error: a value is missing
true satisfies Same<{ a: ("x" | "y")[] }, { a: "x"[] }>;
// @ts-expect-error: a field can be null
true satisfies Same<{ a: { b: string | null } }, { a: { b: string } }>;
`;

/** Returns lines that check that the SDK exports the type of every object in a response. */
function exportChecks(): string[] {
  const responses = Object.values(document.paths)
    .flatMap(Object.values)
    .map(({ responses }: Operation) => JSON.stringify(Object.values(responses)[0]));
  const returned = responses.flatMap((text) =>
    [...text.matchAll(/"(?:schema|items)":{"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name = ""]) => name,
    ),
  );
  return [...new Set(returned)].map((name) => {
    const exported = name === "Event" ? "WebhookEvent" : name;
    return `true satisfies Same<import("@florin/sdk").${exported}, Document${name}>;`;
  });
}

test("each method of the SDK has the request and the response of the OpenAPI document", async (t) => {
  const project = mkdtempSync(join(tmpdir(), "operation-types-"));
  t.after(() => rmSync(project, { recursive: true }));
  await buildSdk(join(project, "node_modules/@florin/sdk"));
  const checks = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.values(operations)
      // The SDK has no method for the event stream.
      .filter(({ operationId }) => operationId !== "events.stream")
      .flatMap((operation) => checksOf(path, operation)),
  );
  assert.ok(checks.length > 150, String(checks.length));
  const types = Object.entries(schemas).map(
    ([name, schema]) => `type Document${name} = ${printType(schema, names)};`,
  );
  const exported = exportChecks();
  assert.ok(exported.length > 20, String(exported.length));
  const text = [comparison, ...types, ...checks, ...exported].join("\n");
  writeFileSync(join(project, "check.mts"), text);
  const options = "--noEmit --strict --target es2022 --lib esnext,dom --module nodenext";
  const { stdout }: { stdout: string } = await promisify(execFile)(
    join(import.meta.dirname, "../node_modules/.bin/tsc"),
    [...options.split(" "), "--types", "", "--ignoreConfig", "check.mts"],
    { cwd: project },
  ).catch((error) => {
    // The exit code is a number if the compiler ran.
    if (typeof error.code !== "number") throw error;
    return error;
  });
  const lines = text.split("\n");
  const failed = [...stdout.matchAll(/^check\.mts\((\d+),/gm)].map(
    ([, line]) => lines[Number(line) - 1],
  );
  assert.deepEqual(failed, []);
  assert.equal(stdout, "");
});
