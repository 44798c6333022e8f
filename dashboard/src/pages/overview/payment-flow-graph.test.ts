import assert from "node:assert/strict";
import { test } from "node:test";
import { paymentFlowGraph } from "./payment-flow-graph.ts";

const funnel = {
  sessions: 100,
  attempted_sessions: 80,
  payments: 110,
  session_payments: 90,
  authenticated: 40,
  authenticated_approved: 30,
  authenticated_failed: 8,
  approved: 85,
  failed: 20,
  captured: 80,
  refunded: 5,
  disputed: 2,
};

test("every step of the flow has the same inflow and outflow", () => {
  const { nodes, links } = paymentFlowGraph(funnel);
  const sum = (end: "source" | "target", node: number) =>
    links.filter((link) => link[end] === node).reduce((total, { value }) => total + value, 0);
  for (const [index, { name }] of nodes.entries()) {
    const [inflow, outflow] = [sum("target", index), sum("source", index)];
    if (inflow > 0 && outflow > 0) assert.equal(inflow, outflow, name);
  }
  assert.equal(nodes.find(({ name }) => name === "Payment attempts")?.count, 110);
  assert.equal(nodes.find(({ name }) => name === "Kept")?.count, 73);
  assert.equal(nodes.find(({ name }) => name === "Pending")?.count, 5);
});

test("a flow without sessions and refunds has no empty steps", () => {
  const { nodes, links } = paymentFlowGraph({
    ...funnel,
    sessions: 0,
    attempted_sessions: 0,
    session_payments: 0,
    refunded: 0,
  });
  assert.ok(links.every(({ value }) => value > 0));
  assert.deepEqual(
    nodes.filter(({ name }) => /sessions|Refunded/.test(name)),
    [],
  );
});
