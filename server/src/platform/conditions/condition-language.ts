import { Environment, ParseError, TypeError as TypeMismatch } from "@marcbachmann/cel-js";
import { ApiError } from "../../core/api-error.ts";
import { costOf } from "./cost.ts";
import { type FieldKind, type Fields, shapeOf } from "./shape.ts";
import { countArithmetic, keyIn, operandsOf, type SyntaxNode } from "./syntax-tree.ts";
import { placeOf, rejected, Unusable } from "./unusable.ts";

/** A compiled condition on values. Throws if an operation fails, such as a division by zero. */
export type Condition<Values> = (values: Values) => boolean;

/** Conditions in the Common Expression Language on a fixed set of fields. */
export type ConditionLanguage<Values extends object> = {
  /**
   * Compiles a condition. Throws a 400 that names the problem. Conditions are evaluated for every charge and read text
   * that customers enter. The evaluation time must therefore be bounded by the lengths of the expression and its
   * inputs. For this reason `shapeOf` checks the syntax tree against an allowlist. The allowlist excludes the library's
   * macros (`all`, `map`, …), regular expressions and all functions that can build longer values.
   */
  compile(expression: string, param: string): Condition<Values>;
  /** Returns why an expression is not accepted, or null if it is. */
  whyUnusable(expression: string): string | null;
  /** Returns an upper bound of the time that an accepted expression takes, in units of about 0.05 µs. */
  costOf(expression: string): number;
};

/**
 * The maximum number of arithmetic operators. An overflow or a division by zero throws an exception, which takes as
 * long as a hundred comparisons.
 */
const maxArithmetic = 20;

/**
 * Creates the language of conditions on these fields. In a field of the type `texts`, a missing key reads as an empty
 * text.
 */
export function createConditionLanguage<Values extends object>(
  fields: { readonly [Name in keyof Values & string]: FieldKind },
): ConditionLanguage<Values> {
  const names = Object.keys(fields);
  const integers = names.filter((name) => (fields as Fields)[name] === "int");
  const environment = new Environment({
    limits: {
      maxAstNodes: 400,
      maxDepth: 32,
      maxListElements: 200,
      maxMapEntries: 4,
      maxCallArguments: 4,
    },
  });
  for (const name of names) {
    const kind = (fields as Fields)[name] as FieldKind;
    environment.registerVariable(name, kind === "texts" ? "map<string, string>" : kind);
  }

  function parse(expression: string): ReturnType<Environment["parse"]> {
    try {
      return environment.parse(expression);
    } catch (error) {
      throw rejectedByLibrary(error, expression);
    }
  }

  function compile(expression: string): Condition<Values> {
    const evaluate = parse(expression);
    const shape = shapeOf(fields, evaluate.ast);
    if (countArithmetic(evaluate.ast) > maxArithmetic) {
      throw rejected(`it has more than ${maxArithmetic} arithmetic operators`);
    }
    if (shape !== "bool")
      throw rejected(`its result has the type ${shape}, but must be true or false`);
    const { valid, error } = evaluate.check();
    if (!valid) throw rejectedByLibrary(error, expression);
    const keys = keysIn(evaluate.ast);
    if (keys.size === 0) return (values) => evaluate(celValues(values)) === true;
    return (values) => evaluate({ ...celValues(values), ...textsOf(values, keys) }) === true;
  }

  /**
   * Converts the integers among the values to CEL's 64-bit integers. All conditions on the same values share the
   * result.
   */
  function celValues(given: Values): Record<string, unknown> {
    const known = madeFor.get(given);
    if (known) return known;
    const values = { ...given } as Record<string, unknown>;
    for (const name of integers) values[name] = BigInt(values[name] as number);
    madeFor.set(given, values);
    return values;
  }
  const madeFor = new WeakMap<Values, Record<string, unknown>>();

  return {
    compile(expression, param) {
      try {
        return compile(expression);
      } catch (error) {
        if (!(error instanceof Unusable)) throw error;
        const available = error.isExplained
          ? ""
          : ` The available fields are: ${names.join(", ")}.`;
        throw new ApiError("parameter_invalid", `${error.message}${available}`, { param });
      }
    },
    whyUnusable(expression) {
      try {
        compile(expression);
        return null;
      } catch (error) {
        if (error instanceof Unusable) return error.message;
        throw error;
      }
    },
    costOf: (expression) => costOf(parse(expression).ast),
  };
}

/** Returns the keys that an expression reads, by field. */
function keysIn(
  node: SyntaxNode,
  found = new Map<string, Set<string>>(),
): Map<string, Set<string>> {
  const read = keyIn(node);
  if (read) {
    const field = read.map.args as string;
    found.set(field, (found.get(field) ?? new Set()).add(read.key));
  } else {
    for (const operand of operandsOf(node)) keysIn(operand, found);
  }
  return found;
}

/** Returns the texts that an expression reads. The library throws for a missing key, so each key gets a text. */
function textsOf(
  values: object,
  keys: ReadonlyMap<string, ReadonlySet<string>>,
): Record<string, unknown> {
  const texts: Record<string, unknown> = {};
  for (const [field, names] of keys) {
    const given = (values as Record<string, Record<string, string>>)[field] ?? {};
    texts[field] = new Map(
      [...names].map((key) => [key, Object.hasOwn(given, key) ? given[key] : ""]),
    );
  }
  return texts;
}

/** Returns the error of the library's parser or type checker, with its position in the expression. */
function rejectedByLibrary(error: unknown, expression: string): Unusable {
  if (!(error instanceof ParseError || error instanceof TypeMismatch)) {
    return rejected("it cannot be parsed");
  }
  const what = firstLine(error.message).replace("Unexpected token: EOF", "unexpected end");
  const { range } = error;
  return rejected(range ? `${what} ${placeOf(expression, range.start)}` : what);
}

function firstLine(message: string): string {
  return message.split("\n", 1)[0] as string;
}
