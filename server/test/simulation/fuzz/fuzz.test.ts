import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { after, before, test } from "node:test";
import { parseArgs } from "node:util";
import type { JsonSchema, Operation, Parameter } from "@florin/contract/openapi.ts";
import { type AnswerCheck, openAnswerCheck } from "../../answer-check.ts";
import { type Client, openClient, type Reply, type Sent } from "../../client.ts";
import { type Chance, seededChance } from "../seeded-chance.ts";
import { type Credentials, startFuzzedService } from "./fuzzed-service.ts";
import { maxTurnMs } from "./stalls.ts";
import { awkward, type Bend, bends, openKnownIds, openValues } from "./values.ts";

/*
 * Generates requests from our own OpenAPI document for every operation: valid, at the limits, and invalid in every way
 * that values.ts implements. No response is a 5xx, each matches the document, and no turn of the server's event loop
 * computes longer than 100 ms. `npm run fuzz` sends 50,000. A seed repeats a run: SEED=7 npm run fuzz.
 */
const { values: given } = parseArgs({
  options: { requests: { type: "string" }, seed: { type: "string" } },
  strict: false,
});
const requests = Number(given.requests ?? process.env.FUZZ_REQUESTS ?? 1_500);
const seed = Number(given.seed ?? process.env.SEED ?? randomInt(2 ** 31));
const atOnce = 6;

let service: Awaited<ReturnType<typeof startFuzzedService>>;
let client: Client;
let check: AnswerCheck;
let as: Credentials;
before(async () => {
  service = await startFuzzedService();
  client = openClient(service.url);
  check = openAnswerCheck(service.document);
  as = await service.credentials();
});
after(async () => {
  await client?.close();
  await service?.close();
});

type Target = {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly forPeople: boolean;
};

type Fuzzed = { readonly method: string; readonly path: string; readonly sent: Sent };

/** Operations that are slow by design, or that move the clock for all others. */
const rare = /\/(clock\/advance|reconciliations|rule_trials|settings_copy|team\/leave)/;

test(`${requests} fuzzed requests: no 5xx, no stall over ${maxTurnMs} ms, every answer valid (SEED=${seed})`, async () => {
  const ids = openKnownIds();
  for (const [path, body] of plenty()) {
    const headers = { authorization: `Bearer ${as.key}` };
    ids.note((await client.send("POST", `/api/v1${path}`, { body, headers })).body);
  }
  const targets = targetsOf();
  const counts = new Map<string, number>();
  const failures: string[] = [];
  const sentAt: { at: number; what: string }[] = [];
  let next = 0;

  async function worker(): Promise<void> {
    while (next < requests && failures.length < 25) {
      const number = next++;
      const chance = seededChance(seed + number);
      let target = chance.pick(targets);
      if (rare.test(target.path) && !chance.happens(0.1)) target = chance.pick(targets);
      const fuzzed = fuzz(target, chance, openValues(service.document, ids, chance));
      const what = `#${number} ${fuzzed.method} ${fuzzed.path.slice(0, 300)} ${describe(fuzzed.sent)}`;
      sentAt.push({ at: Date.now(), what });
      if (sentAt.length > 500) sentAt.shift();
      await judge(fuzzed, what);
    }
  }

  async function judge(fuzzed: Fuzzed, what: string): Promise<void> {
    try {
      const reply = await client.send(fuzzed.method, fuzzed.path, fuzzed.sent);
      counts.set(String(reply.status), (counts.get(String(reply.status)) ?? 0) + 1);
      if (reply.status >= 500) failures.push(`${what}\n  answered ${reply.status}: ${reply.text}`);
      else if (fuzzed.method !== "HEAD") check(fuzzed.method, fuzzed.path, reply);
      if (reply.status < 300) ids.note(reply.body);
      if (reply.status === 401 || isLocked(reply)) as = await service.credentials();
    } catch (error) {
      failures.push(`${what}\n  ${error instanceof Error ? error.message : error}`);
    }
  }

  await Promise.all(Array.from({ length: atOnce }, worker));
  const { stalls, faults } = await service.report();
  const told = [...counts].sort().map(([status, count]) => `${status}: ${count}`);
  console.log(`# seed ${seed}, ${next} requests, answers ${told.join(", ")}`);
  const stalled = stalls.map(({ endedAt, gapMs, cpuMs }) => {
    const suspects = sentAt.filter(({ at }) => at <= endedAt && at >= endedAt - gapMs - 200);
    return `${Math.round(cpuMs)} ms of processor time in ${Math.round(gapMs)} ms, during\n    ${suspects.map((one) => one.what).join("\n    ")}`;
  });
  assert.deepEqual(failures, [], failures.join("\n"));
  assert.deepEqual(stalled, [], stalled.join("\n"));
  assert.deepEqual(faults, [], "errors in the service's log");
  assert.ok((counts.get("200") ?? 0) + (counts.get("201") ?? 0) > next / 20, "too few got through");
});

/** Valid requests, which create objects of every kind and state. */
function plenty(): [path: string, body: object][] {
  const price = { amount: 1_999, currency: "usd" };
  const methods = [
    "pm_card_visa",
    "pm_card_threeDSecure2Required",
    "pm_card_chargeDeclined",
    "pm_card_riskLevelElevated",
    "pm_card_createDispute",
    "pm_card_createDisputeInquiry",
  ];
  const charges = methods.flatMap((payment_method_id): [string, object][] => [
    ["/charges", { ...price, payment_method_id, metadata: { order: "7" } }],
    ["/charges", { ...price, payment_method_id, capture_method: "manual" }],
    ["/decisions", { ...price, payment_method_id, ip: "8.8.8.8" }],
  ]);
  return [
    ...charges,
    ["/customers", { name: "Ada", email: "ada@example.com" }],
    ["/checkout_sessions", { ...price, client_reference_id: "order-7" }],
    ["/checkout_sessions", { ...price, save_payment_method: true }],
    ["/webhook_endpoints", { url: "http://127.0.0.1:1/hooks", enabled_events: ["*"] }],
    ["/rules", { expression: "amount > 50000", outcome: "review" }],
    ["/list_entries", { list: "block", field: "email", value: "eve@example.com" }],
    ["/saved_views", { list: "charges", name: "Failed", query: "status=failed" }],
  ];
}

/** Returns whether the response is that of a person whom one of our requests removed or signed out. */
function isLocked({ status, body }: Reply): boolean {
  return status === 404 && body?.error?.message?.includes("No such account");
}

function targetsOf(): Target[] {
  return Object.entries(service.document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      // The stream of events does not end.
      .filter(() => !path.endsWith("/stream"))
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        operation,
        forPeople: /^(settings:copy|audit|keys|team|application)/.test(operation["x-permission"]),
      })),
  );
}

function fuzz(
  { method, path, operation, forPeople }: Target,
  chance: Chance,
  values: ReturnType<typeof openValues>,
): Fuzzed {
  const bend: Bend = chance.pick(bends);
  const sentMethod = chance.happens(0.02)
    ? chance.pick(["PUT", "PATCH", "HEAD", "DELETE"])
    : method;
  const filled = path.replace(/\{\w+\}/g, () => pathPart(path, bend, chance, values));
  const query = queryOf(operation, bend, chance, values);
  const body = operation.requestBody
    ? bodyText(operation.requestBody.content["application/json"].schema, bend, chance, values)
    : chance.happens(0.1) && method === "POST"
      ? "{}"
      : undefined;
  const person = forPeople || chance.happens(0.05);
  return {
    method: sentMethod,
    path: filled + query,
    sent: {
      ...(body !== undefined && { body }),
      headers: {
        ...(person
          ? {
              cookie: as.cookie,
              "florin-account": as.account,
              "florin-mode": "test",
              "sec-fetch-site": "same-origin",
            }
          : { authorization: `Bearer ${as.key}` }),
        ...(method === "POST" && chance.happens(0.3) && { "idempotency-key": keyOf(chance) }),
        ...(chance.happens(0.01) && { "content-type": "text/plain" }),
      },
    },
  };
}

const prefixes: Readonly<Record<string, string>> = {
  charges: "ch",
  checkout_sessions: "cs",
  refunds: "re",
  payment_methods: "pm",
  customers: "cus",
  decisions: "dec",
  disputes: "dp",
  events: "evt",
  webhook_endpoints: "we",
  webhook_deliveries: "whd",
  payouts: "po",
  balance_transactions: "txn",
  rules: "rule",
  list_entries: "lst",
  audit_log: "log",
  api_keys: "key",
  saved_views: "view",
  members: "mem",
  invitations: "inv",
  reconciliations: "rec",
  request_logs: "req",
  documents: "doc",
};

function pathPart(
  path: string,
  bend: Bend,
  chance: Chance,
  values: ReturnType<typeof openValues>,
): string {
  if (bend === "unicode" || chance.happens(0.05)) {
    return encodeURIComponent(chance.pick(awkward).toWellFormed());
  }
  const nouns = path.split("/").filter((part) => prefixes[part] !== undefined);
  const prefix =
    prefixes[chance.happens(0.9) ? (nouns[0] ?? "charges") : chance.pick(Object.keys(prefixes))];
  return String(values.schemaValue({ type: "string", pattern: `^${prefix}_` }, "valid"));
}

function queryOf(
  { parameters }: Operation,
  bend: Bend,
  chance: Chance,
  values: ReturnType<typeof openValues>,
): string {
  const pairs: [string, string][] = [];
  const known = parameters.filter((one): one is Parameter => "in" in one && one.in === "query");
  for (const { name, schema } of known) {
    if (chance.happens(0.75)) continue;
    const value = values.schemaValue(schema, bend);
    if (Array.isArray(value)) pairs.push([name, value.map(textOf).join(",")]);
    else if (typeof value === "object" && value !== null) {
      for (const [key, one] of Object.entries(value)) pairs.push([`${name}[${key}]`, textOf(one)]);
    } else pairs.push([name, textOf(value)]);
  }
  if (bend === "extra" && chance.happens(0.3)) pairs.push([chance.pick(awkward), "1"]);
  if (pairs.length > 0 && chance.happens(0.03)) pairs.push(pairs[0] as [string, string]);
  const text = pairs
    .map(([name, value]) => `${encode(name)}=${encode(value).slice(0, 6_000)}`)
    .join("&");
  return text && `?${text.slice(0, 12_000)}`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/%5B/g, "[").replace(/%5D/g, "]");
}

function bodyText(
  schema: JsonSchema,
  bend: Bend,
  chance: Chance,
  values: ReturnType<typeof openValues>,
): string {
  const whole = bend === "wrong type" && chance.happens(0.1);
  const text = JSON.stringify(
    whole ? chance.pick([[], "text", 7, null]) : values.schemaValue(schema, bend),
  );
  if (chance.happens(0.01)) return text.slice(0, Math.floor(text.length / 2));
  if (chance.happens(0.01)) return `{"a":1,"a":2,${text.slice(1)}`;
  return text;
}

/** Returns a key from a small set, so that some keys are reused with another body. */
function keyOf(chance: Chance): string {
  return chance.happens(0.5) ? `key ${chance.between(1, 40)}` : `fresh ${chance.next()}`;
}

function describe({ body, headers }: Sent): string {
  const key = headers?.["idempotency-key"];
  return `${key ? `[${key}] ` : ""}${String(body ?? "").slice(0, 400)}`;
}
