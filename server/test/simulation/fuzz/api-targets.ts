import type { Operation, Parameter } from "@florin/contract/openapi.ts";
import type { Random } from "../seeded-random.ts";
import type { FuzzedService, Merchant } from "./fuzzed-service.ts";
import type { Known } from "./known.ts";
import { awkwardPart, bodyText, type Fuzzed, keyOf, queryOf, type Target } from "./request.ts";
import { type Bend, bends, createValues, type Hint, type Values } from "./values.ts";

/** Generates requests for every operation of the OpenAPI document. */
export function apiTargets(
  { document }: FuzzedService,
  known: Known,
  merchant: () => Merchant,
): Target[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Target => {
      const route = `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`;
      const called: Called = { method: method.toUpperCase(), path, operation };
      const fuzz = (chance: Random) => {
        const values = createValues(document.components.schemas, known, chance, payable(chance));
        return fuzzOperation(called, merchant(), chance, values);
      };
      return { route, group: "API", fuzz };
    }),
  );
}

/** Returns prices and cards that can be charged. Generated ones nearly always break a rule that no schema states. */
function payable(chance: Random): Hint {
  return (property) => {
    if (chance.happens(0.2)) return undefined;
    switch (property) {
      case "amount":
        return chance.pick([50, 999, 1_999, 4_000]);
      case "currency":
        return chance.pick(["usd", "usd", "usd", "eur"]);
      case "payment_method_id":
        return chance.happens(0.6) ? chance.pick(testMethods) : undefined;
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
  chance: Random,
  values: Values,
): Fuzzed {
  const mutate: Bend = chance.pick(bends);
  const sentMethod = chance.happens(0.02)
    ? chance.pick(["PUT", "PATCH", "HEAD", "DELETE"])
    : method;
  const filled = path.replace(/\{\w+\}/g, () => pathPart(path, mutate, chance, values));
  const inQuery = operation.parameters.filter(
    (one): one is Parameter => "in" in one && one.in === "query",
  );
  const query = queryOf(inQuery, mutate, chance, values);
  const isUpload = method === "POST" && path === "/api/v1/application/documents";
  const body = operation.requestBody
    ? bodyText(operation.requestBody.content["application/json"].schema, mutate, chance, values)
    : isUpload
      ? `%PDF-1.7\n${"x".repeat(mutate === "huge" ? 100_000 : 100)}\n%%EOF\n`
      : chance.happens(0.1) && method === "POST"
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
        ...(forPeople || chance.happens(0.05)
          ? {
              cookie: as.cookie,
              "florin-account": as.account,
              "florin-mode": "test",
              "sec-fetch-site": "same-origin",
            }
          : { authorization: `Bearer ${as.key}` }),
        ...(method === "POST" && chance.happens(0.3) && { "idempotency-key": keyOf(chance) }),
        ...(isUpload && { "content-type": "application/pdf" }),
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

function pathPart(path: string, mutate: Bend, chance: Random, values: Values): string {
  if (mutate === "unicode" || chance.happens(0.05)) return awkwardPart(chance);
  const nouns = path.split("/").filter((part) => prefixes[part] !== undefined);
  const prefix =
    prefixes[chance.happens(0.9) ? (nouns[0] ?? "charges") : chance.pick(Object.keys(prefixes))];
  return String(values.schemaValue({ type: "string", pattern: `^${prefix}_` }, "valid"));
}
