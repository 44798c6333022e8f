import type { ReactNode } from "react";
import { StepMark } from "../../components/step-mark.tsx";

/** The steps of a setup, in their order. */
export function Steps({ children }: { children: ReactNode }) {
  return <ol className="grid gap-6 [counter-reset:step]">{children}</ol>;
}

/** A step of a setup. `isDone` is null if the service cannot check it. Such a step shows its number. */
export function Step({
  title,
  isDone,
  children,
}: {
  title: string;
  isDone: boolean | null;
  children: ReactNode;
}) {
  return (
    <li className="flex items-start gap-3 [counter-increment:step]">
      <StepMark
        state={isDone ? "done" : "open"}
        number={<span aria-hidden="true" className="before:content-[counter(step)]" />}
      />
      <div className="grid min-w-0 flex-1 gap-2">
        <h3 className="font-medium">
          {title}
          {isDone !== null && <span className="sr-only">{isDone ? " (done)" : " (open)"}</span>}
        </h3>
        {children}
      </div>
    </li>
  );
}
