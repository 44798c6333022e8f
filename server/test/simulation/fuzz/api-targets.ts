import type { Operation, Parameter } from "@florin/contract/openapi.ts";
import type { Random } from "../seeded-random.ts";
import type { FuzzedService, Merchant } from "./fuzzed-service.ts";
import {
  createValueGenerator,
  type Hint,
  type MutationKind,
  mutationKinds,
  type ValueGenerator,
} from "./generated-values.ts";
import {
  bodyText,
  type FuzzedRequest,
  keyOf,
  problematicPathPart,
  queryOf,
  type Target,
} from "./request.ts";
import type { ResponseValues } from "./response-values.ts";

/** Generates requests for every operation of the OpenAPI document. */
export function apiTargets(
  { document }: FuzzedService,
  known: ResponseValues,
  merchant: () => Merchant,
): Target[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Target => {
      const route = `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`;
      const called: Called = { method: method.toUpperCase(), path, operation };
      const fuzz = (random: Random) => {
        const values = createValueGenerator(
          document.components.schemas,
          known,
          random,
          chargeableHint(random),
        );
        return fuzzOperation(called, merchant(), random, values);
      };
      return { route, group: "API", fuzz };
    }),
  );
}

/**
 * Returns a hint that supplies prices and cards that can be charged. Values that are generated from the schema nearly
 * always violate a rule that the schema does not contain.
 */
function chargeableHint(random: Random): Hint {
  return (property) => {
    if (random.happens(0.2)) return undefined;
    switch (property) {
      case "amount":
        return random.pick([50, 999, 1_999, 4_000]);
      case "currency":
        return random.pick(["usd", "usd", "usd", "eur"]);
      case "payment_method_id":
        return random.happens(0.6) ? random.pick(testMethods) : undefined;
      default:
        return undefined;
    }
  };
}

const testMethods = [
  "pm_card_visa",
  "pm_card_visa",
  "pm_card_mastercard",
  "pm_card_chargeDeclined",
  "pm_card_threeDSecure2Required",
  "pm_card_riskLevelElevated",
  "pm_card_createDispute",
];

type Called = { readonly method: string; readonly path: string; readonly operation: Operation };

function fuzzOperation(
  { method, path, operation }: Called,
  as: Merchant,
  random: Random,
  values: ValueGenerator,
): FuzzedRequest {
  const kind: MutationKind = random.pick(mutationKinds);
  const sentMethod = random.happens(0.02)
    ? random.pick(["PUT", "PATCH", "HEAD", "DELETE"])
    : method;
  const filled = path.replace(/\{\w+\}/g, () => pathPart(path, kind, random, values));
  const inQuery = operation.parameters.filter(
    (parameter): parameter is Parameter => "in" in parameter && parameter.in === "query",
  );
  const query = queryOf(inQuery, kind, random, values);
  const content = operation.requestBody?.content;
  const json = content?.["application/json"];
  const body = json
    ? bodyText(json.schema, kind, random, values)
    : content
      ? `%PDF-1.7\n${"x".repeat(kind === "huge" ? 100_000 : 100)}\n%%EOF\n`
      : random.happens(0.1) && method === "POST"
        ? "{}"
        : undefined;
  const forPeople = /^(settings:copy|audit|keys|team|application)/.test(operation["x-permission"]);
  return {
    method: sentMethod,
    path: filled + query,
    as: "merchant",
    sent: {
      ...(body !== undefined && { body }),
      headers: {
        ...(forPeople || random.happens(0.05)
          ? {
              cookie: as.cookie,
              "florin-account": as.account,
              "florin-mode": "test",
              "sec-fetch-site": "same-origin",
            }
          : { authorization: `Bearer ${as.key}` }),
        ...(method === "POST" && random.happens(0.3) && { "idempotency-key": keyOf(random) }),
        ...(content && !json && { "content-type": Object.keys(content)[0] as string }),
        ...(random.happens(0.01) && { "content-type": "text/plain" }),
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
  dispute_files: "file",
  events: "evt",
  webhook_endpoints: "we",
  webhook_deliveries: "whd",
  payouts: "po",
  receipts: "rcpt",
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
  kind: MutationKind,
  random: Random,
  values: ValueGenerator,
): string {
  if (kind === "unicode" || random.happens(0.05)) return problematicPathPart(random);
  const nouns = path.split("/").filter((part) => prefixes[part] !== undefined);
  const prefix =
    prefixes[random.happens(0.9) ? (nouns[0] ?? "charges") : random.pick(Object.keys(prefixes))];
  return String(values.schemaValue({ type: "string", pattern: `^${prefix}_` }, "valid"));
}
