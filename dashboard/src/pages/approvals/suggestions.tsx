import type { ApprovalMetrics } from "@florin/contract/approval-metrics.ts";
import { Panel } from "../../components/panel.tsx";
import type { ConnectionNames } from "./connection-name.ts";
import { suggestionText } from "./suggestion-text.ts";

/** Observations that the merchant may act on. Florin applies none of them. */
export function Suggestions({
  suggestions,
  names,
}: Pick<ApprovalMetrics, "suggestions"> & { names: ConnectionNames }) {
  if (suggestions.length === 0) return null;
  return (
    <Panel title="Suggestions" lead="Florin does not apply suggestions automatically.">
      <ul className="grid gap-4">
        {suggestions.map((suggestion) => {
          const { title, detail } = suggestionText(suggestion, names);
          return (
            <li key={title}>
              <p className="font-medium">{title}</p>
              <p className="text-sm text-ink-soft">{detail}</p>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
