import type { HistoryEntry } from "@florin/contract/operator.ts";
import {
  CircleCheck,
  CircleX,
  MessageCircleQuestion,
  NotebookPen,
  Send,
  Undo2,
} from "lucide-react";
import { type Moment, Timeline } from "../../components/timeline.tsx";

const transitionLabels: Readonly<Record<string, Pick<Moment, "icon" | "tone" | "title">>> = {
  submit: { icon: Send, tone: "info", title: "Submitted" },
  resubmit: { icon: Send, tone: "info", title: "Resubmitted" },
  begin_review: { icon: NotebookPen, title: "Review started" },
  request_information: {
    icon: MessageCircleQuestion,
    tone: "warning",
    title: "Information requested",
  },
  approve: { icon: CircleCheck, tone: "positive", title: "Approved" },
  reject: { icon: CircleX, tone: "negative", title: "Rejected" },
  reopen: { icon: Undo2, title: "Reopened" },
  suspend: { icon: CircleX, tone: "negative", title: "Suspended" },
  reinstate: { icon: CircleCheck, tone: "positive", title: "Suspension lifted" },
  close: { icon: CircleX, tone: "negative", title: "Closed" },
};
const note = { icon: NotebookPen, title: "Note" } as const;

export function History({ entries }: { entries: readonly HistoryEntry[] }) {
  if (entries.length === 0) return <p className="text-ink-faint">No history yet</p>;
  return (
    <Timeline
      label="History"
      moments={entries.map(({ id, created, transition, by, text }) => ({
        ...(transition === null
          ? note
          : (transitionLabels[transition] ?? { icon: NotebookPen, title: transition })),
        key: id,
        at: created,
        detail: (
          <>
            {text && <p className="whitespace-pre-line text-ink">{text}</p>}
            <p>{by}</p>
          </>
        ),
      }))}
    />
  );
}
