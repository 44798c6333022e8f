import type { ProcessorInConsole } from "@florin/contract/operator.ts";

/**
 * Returns the acquirer of each mode with its settings. The settings come from environment variables and are read-only.
 */
export function describeProcessors({
  acquirerTimeoutMs,
}: {
  readonly acquirerTimeoutMs: number;
}): ProcessorInConsole[] {
  return [
    {
      mode: "test",
      id: "simulator",
      name: "Built-in simulator",
      configured: true,
      explanation:
        "Test mode uses only this simulated acquirer, card network and issuer. The card and the amount of a payment select its behavior: test cards cause declines, late or missing responses, and disputes.",
      settings: [
        { name: "Timeout", value: `${acquirerTimeoutMs} ms, then the outcome is unknown` },
      ],
    },
    {
      mode: "live",
      id: null,
      name: "No acquirer",
      configured: false,
      explanation:
        "No live acquirer is connected. Live charges, checkout sessions and decisions are rejected with connector_not_configured before anything is stored, and charges_enabled is false for every account.",
      settings: [],
    },
  ];
}
