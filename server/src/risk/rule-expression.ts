import { nearestName } from "@florin/contract/nearest-name.ts";
import { Environment, ParseError, TypeError as TypeMismatch } from "@marcbachmann/cel-js";
import { ApiError } from "../core/api-error.ts";
import type { Signals } from "./signals.ts";

/** A compiled condition on a payment. */
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

/** A node of the library's syntax tree. */
type SyntaxNode = ReturnType<Environment["parse"]>["ast"];
type Kind = (typeof kinds)[keyof Signals];
type Shape = Kind | "list";

const environment = new Environment({
  limits: {
    maxAstNodes: 400,
    maxDepth: 32,
    maxListElements: 200,
    maxMapEntries: 4,
    maxCallArguments: 4,
  },
});
for (const name of signalNames) environment.registerVariable(name, kinds[name]);

/**
 * Compiles a condition in the Common Expression Language. Throws a 400 that names the problem. Rules run on every
 * charge and read text that customers enter. The evaluation time must therefore be bounded by the lengths of the
 * expression and its inputs. For this reason `shapeOf` checks the syntax tree against an allowlist. The allowlist
 * excludes the library's macros (`all`, `map`, …), regular expressions and all functions that can build longer values.
 */
export function compileRule(expression: string, param = "expression"): RuleCondition {
  try {
    return compile(expression);
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    const fields = error.isExplained ? "" : ` The available fields are: ${signalNames.join(", ")}.`;
    throw new ApiError("parameter_invalid", `${error.message}${fields}`, { param });
  }
}

function compile(expression: string): RuleCondition {
  const evaluate = parse(expression);
  const shape = shapeOf(evaluate.ast, 0);
  if (countArithmetic(evaluate.ast) > maxArithmetic) {
    throw rejected(`it has more than ${maxArithmetic} arithmetic operators`);
  }
  if (shape !== "bool")
    throw rejected(`its result has the type ${shape}, but must be true or false`);
  const { valid, error } = evaluate.check();
  if (!valid) throw rejectedByLibrary(error, expression);
  return (signals) => evaluate(celValues(signals)) === true;
}

/** Returns why a stored expression is no longer accepted, or null if it is. */
export function whyUnusable(expression: string): string | null {
  try {
    compile(expression);
    return null;
  } catch (error) {
    if (error instanceof Unusable) return error.message;
    throw error;
  }
}

class Unusable extends Error {
  /** True if the message names the fix. */
  readonly isExplained: boolean;

  constructor(message: string, isExplained = false) {
    super(message);
    this.isExplained = isExplained;
  }
}

function parse(expression: string): ReturnType<Environment["parse"]> {
  try {
    return environment.parse(expression);
  } catch (error) {
    throw rejectedByLibrary(error, expression);
  }
}

/** String methods, with the types of their arguments and results. */
const methods: Readonly<Record<string, { readonly takes: readonly Kind[]; readonly is: Kind }>> = {
  startsWith: { takes: ["string"], is: "bool" },
  endsWith: { takes: ["string"], is: "bool" },
  contains: { takes: ["string"], is: "bool" },
  size: { takes: [], is: "int" },
};

/** Functions, with the types of their single argument and their result. */
const functions: Readonly<Record<string, { readonly takes: Kind; readonly is: Kind }>> = {
  size: { takes: "string", is: "int" },
  double: { takes: "int", is: "double" },
};

/**
 * The maximum number of arithmetic operators. An overflow or a division by zero throws an exception, which takes as
 * long as a hundred comparisons.
 */
const maxArithmetic = 20;
const arithmetic: ReadonlySet<string> = new Set(["+", "-", "*", "/", "%"]);

/**
 * The maximum depth of a syntax tree. The library recurses into each operand, so 400 unary operators would be 400 stack
 * frames.
 */
const maxTreeDepth = 200;
const maxInt = 2n ** 63n - 1n;

/**
 * Returns the type of a node's value, or throws for a node that is not on the allowlist. In an allowed tree, each node
 * is evaluated at most once, no operator yields more text than its inputs, and lists appear only on the right of `in`.
 */
function shapeOf(node: SyntaxNode, depth: number): Shape {
  if (depth > maxTreeDepth) throw rejected("it is nested too deeply");
  const next = depth + 1;
  switch (node.op) {
    case "value":
      return literalKind(node.args);
    case "id":
      return fieldKind(node);
    case "&&":
    case "||":
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      for (const operand of node.args) scalarOf(operand, next);
      return "bool";
    case "!_":
      scalarOf(node.args, next);
      return "bool";
    case "in":
      return membership(node.args, next);
    case "+":
    case "-":
    case "*":
    case "/":
    case "%": {
      const [left, right] = node.args.map((operand) => numberOf(operand, node.op, next));
      return left === "double" || right === "double" ? "double" : "int";
    }
    case "-_":
      return numberOf(node.args, "-", next);
    case "?:": {
      const [condition, consequent, alternate] = node.args;
      scalarOf(condition, next);
      scalarOf(alternate, next);
      return scalarOf(consequent, next);
    }
    case "call": {
      const [name, args] = node.args;
      const known = Object.hasOwn(functions, name) ? functions[name] : undefined;
      if (!known || args.length !== 1) throw notAvailable(`'${name}'`);
      if (scalarOf(args[0] as SyntaxNode, next) !== known.takes) throw notAvailable(`'${name}'`);
      return known.is;
    }
    case "rcall": {
      const [name, receiver, args] = node.args;
      const known = Object.hasOwn(methods, name) ? methods[name] : undefined;
      if (!known || scalarOf(receiver, next) !== "string") throw notAvailable(`'${name}'`);
      const given = args.map((argument) => scalarOf(argument, next));
      if (given.join() !== known.takes.join()) throw notAvailable(`'${name}'`);
      return known.is;
    }
    default:
      throw notAvailable(wordFor(node.op));
  }
}

/** Counts the arithmetic operators in a tree that `shapeOf` has accepted. */
function countArithmetic(node: SyntaxNode): number {
  const operands: readonly unknown[] = Array.isArray(node.args) ? node.args.flat() : [node.args];
  const below = operands.filter((operand) => typeof operand === "object" && operand !== null);
  const own = arithmetic.has(node.op) ? 1 : 0;
  return below.reduce<number>((sum, operand) => sum + countArithmetic(operand as SyntaxNode), own);
}

/**
 * The maximum total cost of a merchant's enabled rules in one mode, about 2.5 ms per charge. Charges of other
 * merchants wait for that time, so the limit applies to all rules together and not to each.
 */
export const maxTotalRuleCost = 50_000;

/**
 * The cost of a node, in units of about 0.05 µs, measured with the longest email address. The cost of arithmetic
 * assumes that each operation fails.
 */
const nodeCost = 1;
const arithmeticCost = 150;
const sizeCost = 150;
const searchCost = 50;
const maxSearchedLength = 254;

/** Returns an upper bound of the time that an accepted expression takes, in the units of `maxTotalRuleCost`. */
export function costOfRule(expression: string): number {
  return costOf(parse(expression).ast);
}

/**
 * Returns the total cost of all nodes. Both operands of `||` and both branches of `?:` count, so the bound does not
 * depend on the payment.
 */
function costOf(node: SyntaxNode): number {
  const operands: readonly unknown[] = Array.isArray(node.args) ? node.args.flat() : [node.args];
  const below = operands.filter((operand) => typeof operand === "object" && operand !== null);
  return below.reduce<number>(
    (sum, operand) => sum + costOf(operand as SyntaxNode),
    ownCostOf(node),
  );
}

function ownCostOf(node: SyntaxNode): number {
  if (arithmetic.has(node.op)) return arithmeticCost;
  if (node.op === "call") return sizeCost;
  if (node.op !== "rcall") return nodeCost;
  const [name, , [sought]] = node.args;
  if (name === "size") return sizeCost;
  const isLiteral = sought?.op === "value" && typeof sought.args === "string";
  return searchCost + (isLiteral ? (sought.args as string).length : maxSearchedLength);
}

function scalarOf(node: SyntaxNode, depth: number): Kind {
  const shape = shapeOf(node, depth);
  if (shape === "list") throw rejected("a list is allowed only on the right of 'in'");
  return shape;
}

function numberOf(node: SyntaxNode, operator: string, depth: number): "int" | "double" {
  const kind = scalarOf(node, depth);
  if (kind === "int" || kind === "double") return kind;
  throw rejected(`'${operator}' works only on numbers, not on a value of the type ${kind}`);
}

function membership([element, list]: readonly [SyntaxNode, SyntaxNode], depth: number): "bool" {
  scalarOf(element, depth);
  if (list.op !== "list") throw rejected("'in' needs a list such as ['DE', 'AT'] on its right");
  for (const one of list.args) scalarOf(one, depth + 1);
  return "bool";
}

/**
 * Returns a literal's type. Rejects numbers outside 64 bits, because operations on a literal of a thousand digits
 * would be slow.
 */
function literalKind(value: unknown): Kind {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "number":
      return "double";
    case "bigint":
      if (value > maxInt) throw rejected("it contains an integer of more than 64 bits");
      return "int";
    default:
      throw notAvailable("null, bytes or unsigned numbers");
  }
}

function fieldKind({ args: name, start, input }: SyntaxNode & { readonly op: "id" }): Kind {
  if (Object.hasOwn(kinds, name)) return kinds[name as keyof Signals];
  const problem = `The expression is not valid: unknown field \`${name}\` ${placeOf(input, start)}.`;
  const near = nearestName(name, signalNames);
  throw near ? new Unusable(`${problem} Did you mean \`${near}\`?`, true) : new Unusable(problem);
}

function wordFor(operator: string): string {
  if (operator === "map") return "'{}'";
  return operator === "list" ? "a list outside of 'in'" : `'${operator}'`;
}

function notAvailable(what: string): Unusable {
  return rejected(
    `rules cannot contain ${what}. Use ==, in, startsWith, endsWith, contains or size`,
  );
}

/** Converts signals to CEL values, whose integers have 64 bits. The result is reused for all rules of a payment. */
function celValues(signals: Signals): Record<string, unknown> {
  const known = madeFor.get(signals);
  if (known) return known;
  const values: Record<string, unknown> = { ...signals };
  for (const name of integers) values[name] = BigInt(signals[name] as number);
  madeFor.set(signals, values);
  return values;
}

const madeFor = new WeakMap<Signals, Record<string, unknown>>();

/** Returns the error of the library's parser or type checker, with its position in the expression. */
function rejectedByLibrary(error: unknown, expression: string): Unusable {
  if (!(error instanceof ParseError || error instanceof TypeMismatch)) {
    return rejected("it cannot be parsed");
  }
  const what = firstLine(error.message).replace("Unexpected token: EOF", "unexpected end");
  const { range } = error;
  return rejected(range ? `${what} ${placeOf(expression, range.start)}` : what);
}

/**
 * Returns the description of a position, such as `at character 9`. It includes the line if the expression has several
 * lines.
 */
function placeOf(expression: string, index: number): string {
  const before = expression.slice(0, index).split("\n");
  const character = `character ${(before.at(-1) as string).length + 1}`;
  return expression.includes("\n") ? `at line ${before.length}, ${character}` : `at ${character}`;
}

function firstLine(message: string): string {
  return message.split("\n", 1)[0] as string;
}

function rejected(what: string): Unusable {
  return new Unusable(`The expression is not valid: ${what}.`);
}
