import type { Dispute } from "@florin/contract/dispute.ts";
import { Badge } from "../../components/badge.tsx";
import { DayAndTime } from "../../components/date-time.tsx";

const day = 86_400;

/** The time left to respond. A dash if no response is due. */
export function Deadline({ dispute }: { dispute: Dispute }) {
  if (dispute.status !== "needs_response") return <span className="text-ink-faint">—</span>;
  const left = dispute.evidence_due_by - Date.now() / 1000;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <DayAndTime at={dispute.evidence_due_by} />
      {left < 3 * day && <Badge tone={left < day ? "negative" : "warning"}>{inDays(left)}</Badge>}
    </span>
  );
}

function inDays(seconds: number): string {
  if (seconds <= 0) return "Overdue";
  if (seconds < day) return `${Math.max(1, Math.round(seconds / 3_600))} h left`;
  return `${Math.round(seconds / day)} days left`;
}
