import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { eventTypes } from "@florin/contract/event.ts";
import { operationDescriptions, tagDescriptions } from "@florin/contract/operation-descriptions.ts";
import spectralCore from "@stoplight/spectral-core";
import spectralParsers from "@stoplight/spectral-parsers";
import spectralRulesets from "@stoplight/spectral-rulesets";
import type { Reply } from "../client.ts";
import { responseCheckOf } from "../response-check.ts";
import { startShop } from "../shop.ts";

/*
 * `shop.ts` validates every response in this folder's tests against the OpenAPI document. These tests show that the
 * validation detects differences.
 */
const shop = await startShop();
after(() => shop.close());

const document = (await shop.send("GET", "/openapi.json")).body;
const check = responseCheckOf(document);
const path = "/api/v1/charges";
const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const created = await shop.post("/charges", visa);
const replyWith = (body: object, status = created.status): Reply => ({ ...created, status, body });

test("accepts a response that matches the document", () => {
  check("POST", path, created);
});

for (const [what, body] of [
  ["an undocumented field", { ...created.body, secret: 1 }],
  ["a field of another type", { ...created.body, amount: "1999" }],
  ["an unknown status", { ...created.body, status: "done" }],
  ["null in a required field", { ...created.body, id: null }],
  ["an id of another type", { ...created.body, id: created.body.id.replace("ch_", "cs_") }],
  [
    "an undocumented nested field",
    { ...created.body, outcome: { ...created.body.outcome, why: "" } },
  ],
] as const) {
  test(`the check detects ${what}`, () => {
    assert.throws(() => check("POST", path, replyWith(body)), /violates the document/);
  });
}

test("the check detects every missing field", () => {
  for (const name of Object.keys(created.body)) {
    const { [name]: _, ...rest } = created.body;
    assert.throws(() => check("POST", path, replyWith(rest)), /violates the document/, name);
  }
});

test("the check detects an undocumented status", () => {
  const error = replyWith({ error: {} }, 402);
  assert.throws(() => check("GET", path, error), /402, which is not in the document/);
  assert.throws(() => check("POST", path, replyWith(created.body, 202)), /not in the document/);
});

test("the check detects an undocumented media type", async () => {
  const csv = await shop.get("/charges.csv");
  check("GET", `${path}.csv`, csv);
  const html = { ...csv, headers: new Headers(csv.headers) };
  html.headers.set("content-type", "text/html");
  assert.throws(() => check("GET", `${path}.csv`, html), /'text\/html', which is not in the doc/);
});

test("the check detects an error without the envelope and a response without Request-Id", async () => {
  const { body } = await shop.get("/charges/ch_1");
  const { request_id, ...rest } = body.error;
  const missing = `${path}/ch_1`;
  assert.throws(
    () => check("GET", missing, replyWith({ error: rest }, 404)),
    /violates the document/,
  );
  assert.throws(() => check("POST", path, { ...created, headers: new Headers() }), /no Request-Id/);
});

test("the object in an event matches the schema of its endpoint", async () => {
  const [event, ...others] = await shop.events();
  assert.deepEqual([event?.type, others], ["payment.succeeded", []]);
  check("GET", `${path}/${event.data.object.id}`, replyWith(event.data.object, 200));
});

test("the document describes itself and every path below /api/v1", () => {
  assert.equal(document.openapi, "3.1.0");
  assert.ok(Object.keys(document.paths).every((one) => one.startsWith("/api/v1/")));
});

test("Redocly's rules recommended-strict find no error and no warning", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "openapi-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const lint = async (linted: object) => {
    const file = join(directory, "openapi.json");
    writeFileSync(file, JSON.stringify(linted));
    const cli = join(import.meta.dirname, "../../../node_modules/@redocly/cli/bin/cli.js");
    const options = ["--extends", "recommended-strict", "--format", "json"];
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [cli, "lint", ...options, file],
      {
        cwd: directory,
        // Without these settings, the command sends usage data and looks for a newer version.
        env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
      },
    ).catch((error) => error);
    return JSON.parse(stdout).problems.map(({ ruleId }: { ruleId: string }) => ruleId);
  };
  assert.deepEqual(await lint(document), []);
  const { license: _, ...info } = document.info;
  const broken = { ...document, info, paths: {}, components: {}, webhooks: {} };
  assert.ok((await lint(broken)).includes("info-license"));
});

test("Spectral's rules spectral:oas find no error, no warning and no hint", async () => {
  const spectral = new spectralCore.Spectral();
  // The package's type of its own rule set is narrower than the type of the parameter.
  spectral.setRuleset({ extends: [spectralRulesets.oas as never] });
  const lint = async (linted: object) => {
    const parsed = new spectralCore.Document(JSON.stringify(linted), spectralParsers.Json);
    return (await spectral.run(parsed)).map(({ code, path: at }) => `${code} ${at.join(".")}`);
  };
  assert.deepEqual(await lint(document), []);
  const { contact: _, ...info } = document.info;
  const broken = { ...document, info, security: [], paths: {}, components: {}, webhooks: {} };
  assert.deepEqual(await lint(broken), ["info-contact info"]);
});

test("no pattern contains a \\u escape whose character ends a regular expression literal", () => {
  // @hey-api/openapi-ts writes the character of a \u escape into its source code.
  const patterns = JSON.stringify(document).match(/"(?:pattern":"|\^)(?:[^"\\]|\\.)*"/g) ?? [];
  assert.ok(patterns.length > 100);
  for (const pattern of patterns) {
    assert.doesNotMatch(pattern, /\\u(?:00[01][0-9a-f]|007f|008|009|2028|2029)/i);
  }
});

test("each operation and each group has a description of its own", () => {
  const operations = Object.values<Record<string, { operationId: string }>>(document.paths)
    .flatMap(Object.values)
    .map(({ operationId }) => operationId);
  assert.deepEqual(operations.toSorted(), Object.keys(operationDescriptions).toSorted());
  assert.deepEqual(
    document.tags.map(({ name }: { name: string }) => name).toSorted(),
    Object.keys(tagDescriptions).toSorted(),
  );
});

test("the document has a webhook for each event type, whose schema accepts the real event", async () => {
  assert.deepEqual(Object.keys(document.webhooks), [...eventTypes]);
  const [event] = await shop.events();
  const list = "/api/v1/events";
  const replyWithEvent = (changed: object) =>
    replyWith({ object: "list", url: list, has_more: false, data: [changed] }, 200);
  check("GET", list, replyWithEvent(event));
  const refund = { ...event, type: "refund.succeeded" };
  assert.throws(() => check("GET", list, replyWithEvent(refund)), /violates the document/);
});
