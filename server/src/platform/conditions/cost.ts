import { arithmetic, operandsOf, type SyntaxNode } from "./syntax-tree.ts";

/**
 * The cost of a node, in units of about 0.05 µs, measured with the longest email address. The cost of arithmetic
 * assumes that each operation fails.
 */
const nodeCost = 1;
const arithmeticCost = 150;
const sizeCost = 150;
const searchCost = 50;
const maxSearchedLength = 254;

/**
 * Returns the total cost of all nodes. Both operands of `||` and both branches of `?:` count, so the bound does not
 * depend on the payment.
 */
export function costOf(node: SyntaxNode): number {
  return operandsOf(node).reduce((sum, operand) => sum + costOf(operand), ownCostOf(node));
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
