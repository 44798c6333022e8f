import type { Dispute } from "@florin/contract/dispute.ts";
import { Badge } from "../../components/badge.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { NoValue } from "../../components/no-value.tsx";
import { timeLeft } from "../../components/time-left.ts";
import { useNow } from "../../components/use-now.ts";

const day = 86_400;

/** The deadline and the time left to respond. A dash if no response is due. */
export function Deadline({ dispute }: { dispute: Dispute }) {
  const now = useNow();
  if (dispute.status !== "needs_response") return <NoValue />;
  const left = dispute.evidence_due_by - now;
  const tone = left < day ? "negative" : left < 3 * day ? "warning" : "neutral";
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-0.5">
      <Badge tone={tone}>{timeLeft(left)}</Badge>
      <span className="text-ink-soft">
        <DateTime at={dispute.evidence_due_by} />
      </span>
    </span>
  );
}
