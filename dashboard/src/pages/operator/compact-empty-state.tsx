import { CircleCheck } from "lucide-react";

/** A compact empty state for a list of problems, which is normally empty. */
export function CompactEmptyState({ children }: { children: string }) {
  return (
    <p className="flex items-center gap-2 px-4 py-4 text-ink-soft sm:px-5">
      <CircleCheck aria-hidden="true" className="size-4 shrink-0 text-positive" />
      {children}
    </p>
  );
}
