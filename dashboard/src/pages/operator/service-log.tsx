import type { AuditEntry } from "@florin/contract/audit.ts";
import { ScrollText } from "lucide-react";
import { useDesk } from "../../api/desk.ts";
import { Panel } from "../../components/panel.tsx";
import { Timeline } from "../../components/timeline.tsx";
import { Unread } from "../../components/unread.tsx";

/** What was done to the service itself. What concerns a merchant stands in that account's own log. */
export function ServiceLog() {
  const { data, error } = useDesk<{ data: AuditEntry[] }>("/audit_log");
  return (
    <Panel title="What was done to the service" lead="The last hundred acts">
      {error && <Unread problem={error} />}
      {data?.data.length === 0 && <p className="text-ink-faint">Nothing yet.</p>}
      {data && (
        <Timeline
          label="What was done to the service"
          moments={data.data.map(({ id, created, summary, actor, object_id, reason, after }) => ({
            key: id,
            at: created,
            icon: ScrollText,
            title: summary,
            detail: (
              <>
                {reason && <p className="whitespace-pre-line text-ink">{reason}</p>}
                <p className="break-all">
                  {actor.name ?? "On the machine itself"}
                  {object_id && ` · ${object_id}`}
                  {after && ` · ${factsText(after)}`}
                </p>
              </>
            ),
          }))}
        />
      )}
    </Panel>
  );
}

function factsText(facts: Readonly<Record<string, unknown>>): string {
  return Object.entries(facts)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(", ");
}
