import type { PaymentMetrics } from "@florin/contract/metrics.ts";

export type FlowNode = {
  readonly name: string;
  readonly count: number;
  readonly tone: "accent" | "negative" | "warning" | "neutral";
};

export type FlowLink = {
  /** The index of the source node in the list of nodes. `target` is the index of the target node. */
  readonly source: number;
  readonly target: number;
  readonly value: number;
};

export type FlowGraph = {
  readonly nodes: readonly FlowNode[];
  readonly links: readonly FlowLink[];
};

type Edge = readonly [source: string, target: string, value: number];

const tones: Readonly<Record<string, FlowNode["tone"]>> = {
  "Without attempt": "neutral",
  Pending: "neutral",
  "Not captured": "neutral",
  Failed: "negative",
  Refunded: "warning",
  Disputed: "negative",
};

/**
 * Returns the steps of the payments as a graph. The inflow of each inner node equals its outflow. Omits empty links and
 * nodes.
 */
export function paymentFlowGraph(funnel: PaymentMetrics["funnel"]): FlowGraph {
  const { sessions, attempted_sessions, session_payments, payments } = funnel;
  const { authenticated, authenticated_approved, authenticated_failed } = funnel;
  const { approved, failed, captured, refunded, disputed } = funnel;
  const plain = payments - authenticated;
  const plainApproved = approved - authenticated_approved;
  const plainFailed = failed - authenticated_failed;
  const edges: readonly Edge[] = [
    ["Checkout sessions", "Without attempt", sessions - attempted_sessions],
    ["Checkout sessions", "Payment attempts", attempted_sessions],
    ["Further attempts", "Payment attempts", session_payments - attempted_sessions],
    ["Charges by API", "Payment attempts", payments - session_payments],
    ["Payment attempts", "3-D Secure", authenticated],
    ["Payment attempts", "Without 3-D Secure", plain],
    ["3-D Secure", "Authorized", authenticated_approved],
    ["3-D Secure", "Failed", authenticated_failed],
    ["3-D Secure", "Pending", authenticated - authenticated_approved - authenticated_failed],
    ["Without 3-D Secure", "Authorized", plainApproved],
    ["Without 3-D Secure", "Failed", plainFailed],
    ["Without 3-D Secure", "Pending", plain - plainApproved - plainFailed],
    ["Authorized", "Captured", captured],
    ["Authorized", "Not captured", approved - captured],
    ["Captured", "Kept", captured - refunded - disputed],
    ["Captured", "Refunded", refunded],
    ["Captured", "Disputed", disputed],
  ];
  const drawn = edges.filter(([, , value]) => value > 0);
  // The steps in their order, then the outcomes.
  const names = [
    ...new Set([...drawn.map(([source]) => source), ...drawn.map(([, target]) => target)]),
  ];
  const total = (name: string, end: 0 | 1) =>
    drawn.filter((edge) => edge[end] === name).reduce((sum, [, , value]) => sum + value, 0);
  return {
    nodes: names.map((name) => ({
      name,
      count: Math.max(total(name, 0), total(name, 1)),
      tone: tones[name] ?? "accent",
    })),
    links: drawn.map(([source, target, value]) => ({
      source: names.indexOf(source),
      target: names.indexOf(target),
      value,
    })),
  };
}
