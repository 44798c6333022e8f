import type {
  Connection,
  ConnectionHealth,
  ConnectionResponses as Responses,
} from "@florin/contract/operator-connections.ts";
import { useAdminQuery } from "../../api/admin.ts";
import { inWords, Status } from "../../components/badge.tsx";
import { Ago } from "../../components/date-time.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { Panel } from "../../components/panel.tsx";
import { Table } from "../../components/table.tsx";

const everyMs = 10_000;

/**
 * The acquirer's last responses. Each server process has a separate record, and the page shows the record of the
 * process that serves the page's requests.
 */
export function ConnectionResponses({ connection: { id } }: { connection: Connection }) {
  const health = useAdminQuery<ConnectionHealth>(`/connections/${id}/health`, {}, everyMs);
  const responses = useAdminQuery<Responses>(`/connections/${id}/responses`, {}, everyMs);
  const { circuit, responses: figures } = health.data ?? {};
  return (
    <Panel title="Responses" flush>
      {circuit && figures && (
        <div className="border-b border-line p-4 sm:p-5">
          <KeyValues
            items={[
              [
                "Circuit breaker",
                circuit.is_open ? "Open: no response to the last requests" : "Closed",
              ],
              ["Outcomes", outcomesText(figures.outcomes)],
              ["Median", milliseconds(figures.median_ms)],
              ["95th percentile", milliseconds(figures.p95_ms)],
            ]}
          />
        </div>
      )}
      <Table
        label="Responses"
        rows={responses.data?.data.map((response, index) => ({ ...response, index })) ?? []}
        keyOf={({ index }) => String(index)}
        pending={responses.isPending}
        problem={responses.error}
        columns={[
          { title: "Operation", cell: ({ operation }) => inWords(operation) },
          {
            title: "Outcome",
            cell: ({ outcome, why }) => (
              <>
                <Status status={outcome} />
                {why && <span className="block text-sm text-ink-soft">{inWords(why)}</span>}
              </>
            ),
          },
          {
            title: "Duration",
            align: "end",
            from: "sm",
            below: "cell",
            cell: ({ duration_ms }) => milliseconds(duration_ms),
          },
          { title: "Time", align: "end", cell: ({ at }) => <Ago at={at} /> },
        ]}
        empty={
          <p className="px-4 py-4 text-ink-soft sm:px-5">No requests since this process started.</p>
        }
      />
    </Panel>
  );
}

function outcomesText(outcomes: Readonly<Record<string, number>>): string | null {
  const texts = Object.entries(outcomes).map(
    ([name, count]) => `${count} ${inWords(name).toLowerCase()}`,
  );
  return texts.length === 0 ? null : texts.join(", ");
}

function milliseconds(duration: number | null): string | null {
  return duration === null ? null : `${duration} ms`;
}
