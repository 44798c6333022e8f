import { Environment } from "@marcbachmann/cel-js";
import { ApiError } from "../primitives/api-error.ts";
import type { Signals } from "./signals.ts";

/** A condition on a payment, ready to be asked many times. */
export type RuleCondition = (signals: Signals) => boolean;

const kinds: Readonly<Record<keyof Signals, "int" | "double" | "string" | "bool">> = {
  amount: "int",
  currency: "string",
  amount_ratio: "double",
  card_brand: "string",
  card_funding: "string",
  card_country: "string",
  card_fingerprint: "string",
  card_attempts_1h: "int",
  card_attempts_24h: "int",
  card_declines_24h: "int",
  card_mismatches_24h: "int",
  customer_id: "string",
  email: "string",
  email_domain: "string",
  email_attempts_1h: "int",
  email_declines_24h: "int",
  ip: "string",
  ip_country: "string",
  ip_attempts_1h: "int",
  ip_declines_24h: "int",
  device: "string",
  device_attempts_1h: "int",
  device_declines_24h: "int",
  billing_country: "string",
  off_session: "bool",
  authentication_required: "bool",
  risk_score: "int",
  risk_level: "string",
};

export const signalNames = Object.keys(kinds) as readonly (keyof Signals)[];
const integers = signalNames.filter((name) => kinds[name] === "int");

const environment = new Environment({
  limits: {
    maxAstNodes: 400,
    maxDepth: 32,
    maxListElements: 200,
    maxMapEntries: 10,
    maxCallArguments: 8,
  },
});
for (const name of signalNames) environment.registerVariable(name, kinds[name]);

/**
 * Rules run between a customer's click and the acquirer. A regular expression can take for ever on a text that a
 * customer chose, and a loop within a loop as well; what is left takes as long as it is.
 */
const tooSlow = /\b(matches|all|exists|exists_one|map|filter|bind)\s*\(/;
const quoted = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;

/** Reads a condition in the Common Expression Language, or says in a 400 what is wrong with it. */
export function compileRule(expression: string): RuleCondition {
  const [, slow] = tooSlow.exec(expression.replace(quoted, '""')) ?? [];
  if (slow) {
    throw refused(
      `'${slow}' is not available in rules; use ==, in, startsWith, endsWith or contains`,
    );
  }
  const { valid, type, error } = environment.check(expression);
  if (!valid) throw refused(firstLine(error?.message ?? "it cannot be read"));
  if (type !== "bool") throw refused(`it is a ${type}, and must be true or false`);
  const ask = environment.parse(expression);
  return (signals) => ask(celValues(signals)) === true;
}

/** The same signals as the language wants them: its integers are of 64 bits. Made once for all of a payment's rules. */
function celValues(signals: Signals): Record<string, unknown> {
  const known = madeFor.get(signals);
  if (known) return known;
  const values: Record<string, unknown> = { ...signals };
  for (const name of integers) values[name] = BigInt(signals[name] as number);
  madeFor.set(signals, values);
  return values;
}

const madeFor = new WeakMap<Signals, Record<string, unknown>>();

function firstLine(message: string): string {
  return message.split("\n", 1)[0] as string;
}

function refused(what: string): ApiError {
  return new ApiError(
    "parameter_invalid",
    `The expression cannot be used: ${what}. It may use these: ${signalNames.join(", ")}.`,
    { param: "expression" },
  );
}
