import assert from "node:assert/strict";
import { test } from "node:test";
import { type DeclineDescription, declineCodes } from "../contract/src/declines.ts";
import { errorCodes } from "../contract/src/errors.ts";
import { isTest, readSources, runningCode, withoutComments } from "./source-tree.ts";

/*
 * Checks that every error and decline code of the catalog is used in the source. The opposite needs no test, because
 * the types reject a code that is not in the catalog: `ApiError` takes an `ErrorCode`, and a failure takes a
 * `DeclineCode`.
 */
const sources = readSources();
const sendingCode = sources
  .filter(
    ({ path }) =>
      (/^(?:server|simulator)\/src\//.test(path) && !isTest(path)) ||
      /^contract\/src\/(?:violation|test-cards)\.ts$/.test(path),
  )
  .map(runningCode);
const httpTests = sources
  .filter(({ path }) => path.startsWith("server/test/") || path.startsWith("journeys/"))
  .map(withoutComments);

const isQuoted = (texts: readonly string[], code: string) =>
  texts.some((text) => text.includes(`"${code}"`));
const table: Readonly<Record<string, DeclineDescription>> = declineCodes;

/** The error codes that result from a decline code. */
const ofDeclines = new Set<string>(
  Object.entries(table)
    .filter(([decline]) => isQuoted(sendingCode, decline))
    .map(([, { errorCode }]) => errorCode),
);

/**
 * The decline codes that special amounts trigger. Tests need not contain these codes, because `test-cards.api.test.ts`
 * receives each of them over HTTP.
 */
const amountTriggerCodes = new Set(
  sources
    .filter(({ path }) => path.endsWith("simulator/src/amount-triggers.ts"))
    .flatMap(({ text }) => [...text.matchAll(/declines\("\d{4}", "(\w+)"\)/g)])
    .map(([, code]) => code),
);

test("every error code of the catalog is used", () => {
  const never = Object.keys(errorCodes).filter(
    (code) => !isQuoted(sendingCode, code) && !ofDeclines.has(code),
  );
  assert.deepEqual(never, [], "Use them in the server, or remove them from errors.ts.");
});

test("every error code of the catalog is received over HTTP by a test", () => {
  const untested = Object.keys(errorCodes).filter(
    (code) =>
      !isQuoted(httpTests, code) && !amountTriggerCodes.has(code) && !unitTestedOnly.has(code),
  );
  assert.deepEqual(untested, [], "Add a test that receives them.");
});

/**
 * Codes that a service returns only after half a minute, or only under thousands of concurrent requests. Each has a
 * unit test.
 */
const unitTestedOnly = new Set(["idempotency_request_in_progress", "service_overloaded"]);

test("the error codes that no test receives over HTTP have a unit test", () => {
  const units = sources.filter(({ path }) => path.startsWith("server/src/") && isTest(path));
  const texts = units.map(withoutComments);
  assert.deepEqual(
    [...unitTestedOnly].filter((code) => !isQuoted(texts, code)),
    [],
  );
});

test("every decline code of the catalog is used, and received over HTTP by a test", () => {
  const never = Object.keys(table).filter((code) => !isQuoted(sendingCode, code));
  assert.deepEqual(never, [], "Use them in the server, or remove them from declines.ts.");
  const untested = Object.keys(table).filter(
    (code) => !isQuoted(httpTests, code) && !amountTriggerCodes.has(code),
  );
  assert.deepEqual(untested, [], "Add a test that receives them.");
});
