import type { Health } from "@florin/contract/operator.ts";
import { Badge } from "../../components/badge.tsx";
import { Ago } from "../../components/date-time.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { NoValue } from "../../components/no-value.tsx";
import { Notice } from "../../components/notice.tsx";
import { Panel } from "../../components/panel.tsx";

/** The result of the daily scan of all tables for card numbers and security codes outside the vault. */
export function CardDataScan({ search }: { search: Health["card_search"] }) {
  const { hour, status, error, last_success, findings, places } = search;
  return (
    <Panel title="Card data scan">
      <div className="grid gap-4">
        <KeyValues
          items={[
            ["Schedule", hour === null ? "Off" : `Daily from ${hour}:00 UTC`],
            ["Status", <Status key="status" status={status} />],
            ["Last success", last_success && <Ago key="ago" at={last_success} />],
            ["Findings", <Findings key="findings" findings={findings} />],
          ]}
        />
        {error && <Notice tone="negative">{error}</Notice>}
        {places.map((place) => (
          <p key={place} className="text-sm break-words text-negative">
            {place}
          </p>
        ))}
      </div>
    </Panel>
  );
}

const statusText = {
  waiting: "Waiting",
  running: "Running",
  ended: "Completed",
  failed: "Failed",
} as const;

function Status({ status }: Pick<Health["card_search"], "status">) {
  if (status === null) return "Not run yet";
  return <Badge tone={status === "failed" ? "negative" : "info"}>{statusText[status]}</Badge>;
}

function Findings({ findings }: Pick<Health["card_search"], "findings">) {
  if (findings === null) return <NoValue />;
  return <Badge tone={findings === 0 ? "positive" : "negative"}>{String(findings)}</Badge>;
}
