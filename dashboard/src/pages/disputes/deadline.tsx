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
      {left < 3 * day && <Badge tone={left < day ? "negative" : "warning"}>{timeLeft(left)}</Badge>}
    </span>
  );
}

function timeLeft(seconds: number): string {
  if (seconds <= 0) return "Overdue";
  if (seconds < day) return `${countOf(Math.max(1, Math.round(seconds / 3_600)), "hour")} left`;
  return `${countOf(Math.round(seconds / day), "day")} left`;
}

function countOf(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
