import { nearestName } from "@florin/contract/nearest-name.ts";
import { keyIn, type SyntaxNode } from "./syntax-tree.ts";
import { misused, notAvailable, placeOf, rejected, Unusable } from "./unusable.ts";

/** The type of a single value. */
export type Kind = "int" | "double" | "string" | "bool";

/** The type of a field. A field of the type `texts` contains texts by key, like metadata. */
export type FieldKind = Kind | "texts";

export type Fields = Readonly<Record<string, FieldKind>>;

type Shape = Kind | "list";

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
 * The maximum depth of a syntax tree. The library recurses into each operand, so 400 unary operators would be 400 stack
 * frames.
 */
const maxTreeDepth = 200;
const maxInt = 2n ** 63n - 1n;

/**
 * Returns the type of a node's value, or throws for a node that is not on the allowlist. In an allowed tree, each node
 * is evaluated at most once, no operator yields more text than its inputs, and lists appear only on the right of `in`.
 */
export function shapeOf(fields: Fields, node: SyntaxNode, depth = 0): Shape {
  if (depth > maxTreeDepth) throw rejected("it is nested too deeply");
  const scalarOf = (operand: SyntaxNode) => scalarIn(fields, operand, depth + 1);
  switch (node.op) {
    case "value":
      return literalKind(node.args);
    case "id":
      return fieldKind(fields, node);
    case "[]":
    case ".":
      return textKind(fields, node);
    case "&&":
    case "||":
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      for (const operand of node.args) scalarOf(operand);
      return "bool";
    case "!_":
      scalarOf(node.args);
      return "bool";
    case "in": {
      const [element, list] = node.args;
      scalarOf(element);
      if (list.op !== "list") throw rejected("'in' needs a list such as ['DE', 'AT'] on its right");
      for (const one of list.args) scalarIn(fields, one, depth + 2);
      return "bool";
    }
    case "+":
    case "-":
    case "*":
    case "/":
    case "%": {
      const [left, right] = node.args.map((operand) => numberKind(scalarOf(operand), node.op));
      return left === "double" || right === "double" ? "double" : "int";
    }
    case "-_":
      return numberKind(scalarOf(node.args), "-");
    case "?:": {
      const [condition, consequent, alternate] = node.args;
      scalarOf(condition);
      scalarOf(alternate);
      return scalarOf(consequent);
    }
    case "call": {
      const [name, args] = node.args;
      const known = Object.hasOwn(functions, name) ? functions[name] : undefined;
      if (!known) throw notAvailable(`'${name}'`);
      if (args.length !== 1 || scalarOf(args[0] as SyntaxNode) !== known.takes) {
        throw misused(`'${name}' takes one argument of the type ${known.takes}`);
      }
      return known.is;
    }
    case "rcall": {
      const [name, receiver, args] = node.args;
      const known = Object.hasOwn(methods, name) ? methods[name] : undefined;
      if (!known) throw notAvailable(`'${name}'`);
      if (scalarOf(receiver) !== "string") {
        throw misused(`'${name}' works only on values of the type string`);
      }
      const given = args.map(scalarOf);
      if (given.join() !== known.takes.join()) {
        const takes = known.takes.length === 0 ? "no argument" : "one argument of the type string";
        throw misused(`'${name}' takes ${takes}`);
      }
      return known.is;
    }
    default:
      throw notAvailable(wordFor(node.op));
  }
}

function scalarIn(fields: Fields, node: SyntaxNode, depth: number): Kind {
  const shape = shapeOf(fields, node, depth);
  if (shape === "list") throw rejected("a list is allowed only on the right of 'in'");
  return shape;
}

function numberKind(kind: Kind, operator: string): "int" | "double" {
  if (kind === "int" || kind === "double") return kind;
  throw rejected(`'${operator}' works only on numbers, not on a value of the type ${kind}`);
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

function fieldKind(fields: Fields, node: SyntaxNode & { readonly op: "id" }): Kind {
  const { args: name, start, input } = node;
  const kind = kindOf(fields, node);
  if (kind !== "texts") return kind;
  throw rejected(`\`${name}\` ${placeOf(input, start)} needs a key. Write \`${name}["key"]\``);
}

/** Returns the type of a field, or throws for an unknown field. */
function kindOf(
  fields: Fields,
  { args: name, start, input }: SyntaxNode & { readonly op: "id" },
): FieldKind {
  if (Object.hasOwn(fields, name)) return fields[name] as FieldKind;
  const problem = `The expression is not valid: unknown field \`${name}\` ${placeOf(input, start)}.`;
  const near = nearestName(name, Object.keys(fields));
  throw near ? new Unusable(`${problem} Did you mean \`${near}\`?`, true) : new Unusable(problem);
}

/**
 * Returns the type of a value that is read from a field by key, such as `metadata["plan"]`. The key must be a literal,
 * so that the keys of an expression are known when it is compiled.
 */
function textKind(fields: Fields, node: SyntaxNode): "string" {
  const found = keyIn(node);
  if (!found) throw rejected('a key must be a text in quotes, such as `["plan"]`');
  const { map } = found;
  if (map.op !== "id") throw notAvailable(wordFor(node.op));
  const kind = kindOf(fields, map);
  if (kind === "texts") return "string";
  throw rejected(`\`${map.args}\` ${placeOf(map.input, map.start)} has no keys`);
}

function wordFor(operator: string): string {
  if (operator === "map") return "'{}'";
  return operator === "list" ? "a list outside of 'in'" : `'${operator}'`;
}
