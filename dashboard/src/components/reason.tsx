import { cloneElement, type ReactElement, useId } from "react";

/** A tooltip for a control, shown on hover and focus and read out with it. */
export function WithReason({
  reason,
  children,
}: {
  reason: string;
  children: ReactElement<{ "aria-describedby"?: string }>;
}) {
  const id = useId();
  return (
    <span className="group relative inline-flex">
      {cloneElement(children, { "aria-describedby": id })}
      <span
        id={id}
        role="tooltip"
        className="pointer-events-none absolute top-full right-0 z-20 mt-1.5 hidden w-max max-w-64 rounded-md border border-line bg-surface px-2.5 py-1.5 text-left text-xs whitespace-normal text-ink shadow-raised group-focus-within:block group-hover:block"
      >
        {reason}
      </span>
    </span>
  );
}
