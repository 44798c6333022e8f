import { Check } from "lucide-react";
import type { ReactNode } from "react";

export type StepState = "done" | "open" | "attention";

const marks: Readonly<Record<StepState, string>> = {
  done: "bg-positive-soft text-positive",
  open: "border border-line-strong text-ink-soft",
  attention: "bg-warning-soft text-warning",
};

/** The circle in front of a step, with its number, or with a check mark if the step is done. */
export function StepMark({ state, number }: { state: StepState; number: ReactNode }) {
  return (
    <span
      className={`grid size-5 shrink-0 place-items-center rounded-full text-xs tabular-nums ${marks[state]}`}
    >
      {state === "done" ? <Check aria-hidden="true" className="size-3" /> : number}
    </span>
  );
}
