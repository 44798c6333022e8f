import type { ProcessorOnDesk } from "@florin/contract/operator.ts";

/** Returns the acquirer of each mode with its settings. They come from the environment and are read-only here. */
export function describeProcessors({
  acquirerTimeoutMs,
}: {
  readonly acquirerTimeoutMs: number;
}): ProcessorOnDesk[] {
  return [
    {
      mode: "test",
      id: "simulator",
      name: "Built-in simulator",
      configured: true,
      explanation:
        "Test mode reaches this simulated acquirer, card network and bank, and nothing else. How it behaves is said by each payment's card and amount: the test cards make it decline, answer late or not at all, and dispute.",
      settings: [
        { name: "Answers within", value: `${acquirerTimeoutMs} ms, else the outcome is unknown` },
      ],
    },
    {
      mode: "live",
      id: null,
      name: "No acquirer",
      configured: false,
      explanation:
        "No live acquirer is connected. Live charges, checkout sessions and decisions are rejected with connector_not_configured before anything is written, and charges_enabled is false for every account.",
      settings: [],
    },
  ];
}
