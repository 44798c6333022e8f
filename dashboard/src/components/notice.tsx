import { CircleAlert, CircleCheck, Info, type LucideIcon, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { Tone } from "./badge.tsx";

const styles: Readonly<Record<Exclude<Tone, "neutral">, readonly [LucideIcon, string]>> = {
  positive: [CircleCheck, "bg-positive-soft text-positive"],
  warning: [TriangleAlert, "bg-warning-soft text-warning"],
  negative: [CircleAlert, "bg-negative-soft text-negative"],
  info: [Info, "bg-info-soft text-info"],
};

/** A highlighted message with an optional action. */
export function Notice({
  tone = "info",
  action,
  children,
}: {
  tone?: Exclude<Tone, "neutral">;
  action?: ReactNode;
  children: ReactNode;
}) {
  const [Icon, look] = styles[tone];
  return (
    <div className={`flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md px-4 py-2.5 ${look}`}>
      <div className="flex min-w-0 flex-1 basis-60 gap-3">
        {/* The margin aligns the icon with the first line of the text. */}
        <Icon aria-hidden="true" className="mt-0.75 size-4 shrink-0" />
        <div className="min-w-0 flex-1">{children}</div>
      </div>
      {action}
    </div>
  );
}
