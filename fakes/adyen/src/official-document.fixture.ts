import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

/** Adyen's OpenAPI documents are not part of the repository. They are in a directory beside it. */
const folder = join(import.meta.dirname, "../../../../shared/reference/acquirers");

export type OfficialDocument = {
  /** Asserts that the value is valid against a schema of the document. */
  readonly assertValid: (schema: string, value: unknown) => void;
};

/** Returns a document of Adyen, or the reason why tests against it are skipped. */
export function officialDocument(name: string): OfficialDocument | string {
  const path = join(folder, name);
  if (!existsSync(path)) return `Adyen's OpenAPI document ${name} is not at ${path}.`;
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    validateSchema: false,
    inlineRefs: false,
    code: { optimize: false },
  });
  ajv.addSchema(JSON.parse(readFileSync(path, "utf8")), "adyen");
  const compiled = new Map<string, ValidateFunction>();
  return {
    assertValid(schema, value) {
      const validate =
        compiled.get(schema) ?? ajv.compile({ $ref: `adyen#/components/schemas/${schema}` });
      compiled.set(schema, validate);
      const isValid = validate(value);
      assert.ok(isValid, `${schema}: ${ajv.errorsText(validate.errors)}`);
    },
  };
}
