import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

/** Adyen's official OpenAPI documents are stored outside the repository. */
const folder = join(import.meta.dirname, "../../../../../shared/reference/acquirers");

export type OpenApiDocument = {
  /** Asserts that the value is valid against a schema of the document. */
  readonly assertValid: (schema: string, value: unknown) => void;
  /** Returns the value of the document's example with this name. */
  readonly example: (name: string) => unknown;
};

/** Returns the document, or the reason why tests against it are skipped. */
export function openApiDocument(name: string): OpenApiDocument | string {
  const path = join(folder, name);
  if (!existsSync(path)) return `Adyen's OpenAPI document ${name} is not at ${path}.`;
  const document = JSON.parse(readFileSync(path, "utf8"));
  // Without optimization the schema of a payment compiles in 0.4 s instead of 2.5 s.
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    validateSchema: false,
    inlineRefs: false,
    code: { optimize: false },
  });
  ajv.addSchema(document, "adyen");
  const compiled = new Map<string, ValidateFunction>();
  return {
    assertValid: (schema, value) => {
      const reference = `adyen#/components/schemas/${schema}`;
      const validate = compiled.get(schema) ?? ajv.compile({ $ref: reference });
      compiled.set(schema, validate);
      // The value is converted to JSON and back, because it is also sent as JSON.
      const isValid = validate(JSON.parse(JSON.stringify(value)));
      assert.ok(isValid, `${schema}: ${ajv.errorsText(validate.errors)}`);
    },
    example: (example) => {
      const { value } = document.components.examples[example] ?? {};
      assert.ok(value !== undefined, `The document has no example ${example}.`);
      return value;
    },
  };
}
