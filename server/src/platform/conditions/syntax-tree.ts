import type { Environment } from "@marcbachmann/cel-js";

/** A node of the library's syntax tree. */
export type SyntaxNode = ReturnType<Environment["parse"]>["ast"];

export const arithmetic: ReadonlySet<string> = new Set(["+", "-", "*", "/", "%"]);

/** Returns the operands of a node in a tree that `shapeOf` has accepted. */
export function operandsOf({ args }: SyntaxNode): readonly SyntaxNode[] {
  const operands: readonly unknown[] = Array.isArray(args) ? args.flat() : [args];
  return operands.filter(
    (operand): operand is SyntaxNode => typeof operand === "object" && operand !== null,
  );
}

/** Counts the arithmetic operators in a tree that `shapeOf` has accepted. */
export function countArithmetic(node: SyntaxNode): number {
  const own = arithmetic.has(node.op) ? 1 : 0;
  return operandsOf(node).reduce((sum, operand) => sum + countArithmetic(operand), own);
}

/** Returns the key of a map's value, as in `metadata["plan"]` and `metadata.plan`, or null for any other node. */
export function keyIn(node: SyntaxNode): { readonly map: SyntaxNode; readonly key: string } | null {
  if (node.op === ".") {
    const [map, key] = node.args as [SyntaxNode, string];
    return { map, key };
  }
  if (node.op !== "[]") return null;
  const [map, key] = node.args as [SyntaxNode, SyntaxNode];
  return key.op === "value" && typeof key.args === "string" ? { map, key: key.args } : null;
}
