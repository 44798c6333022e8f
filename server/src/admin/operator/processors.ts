import type { ProcessorInConsole } from "@florin/contract/operator.ts";
import type { Connection, Environment } from "../../acquiring/connections/connection.ts";
import { connectors } from "../../acquiring/connectors.ts";

type Acquirers = {
  readonly acquirerTimeoutMs: number;
  /** The acquirers' environment that live mode uses on this service. */
  readonly environment: Environment;
  readonly connections: readonly Connection[];
};

/** Returns the acquirers of each mode with their settings, which cannot be changed through this endpoint. */
export function describeProcessors({
  acquirerTimeoutMs,
  environment,
  connections,
}: Acquirers): ProcessorInConsole[] {
  const active = connections.filter(
    (connection) => connection.state === "active" && connection.environment === environment,
  );
  const titles = new Set(active.map(({ processor }) => connectors[processor].title));
  return [
    {
      mode: "test",
      id: "simulator",
      name: "Built-in simulator",
      configured: true,
      explanation:
        "Test mode uses only this simulated acquirer, card network and issuer. The card and the amount of a payment select its behavior: test cards cause declines, late or missing responses, and disputes.",
      settings: [
        {
          name: "Timeout",
          value: `${acquirerTimeoutMs.toLocaleString("en-US")} ms, then the outcome is unknown`,
        },
      ],
    },
    {
      mode: "live",
      id: active[0]?.processor ?? null,
      name: [...titles].join(", ") || "No acquirer",
      configured: active.length > 0,
      explanation:
        "Live charges of an account are sent over the connections that are assigned to it. Without one, charges, checkout sessions and decisions are rejected with connector_not_configured before anything is stored, and the account's charges_enabled is false.",
      settings: [
        {
          name: "Environment",
          value: environment === "live" ? "Live" : "Sandbox: no real money moves",
        },
        { name: "Active connections", value: active.map(({ name }) => name).join(", ") || "None" },
      ],
    },
  ];
}
