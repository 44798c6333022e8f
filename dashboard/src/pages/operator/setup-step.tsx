import { Circle, CircleCheck } from "lucide-react";
import type { ReactNode } from "react";

/** A step of a setup. `isDone` is null if the service cannot check it. */
export function Step({
  title,
  isDone,
  children,
}: {
  title: string;
  isDone: boolean | null;
  children: ReactNode;
}) {
  const Icon = isDone ? CircleCheck : Circle;
  return (
    <li className="flex items-start gap-3">
      <Icon
        aria-hidden="true"
        className={`mt-1 size-4 shrink-0 ${isDone ? "text-positive" : "text-ink-faint"}`}
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
