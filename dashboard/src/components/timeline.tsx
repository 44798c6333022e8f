import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import type { Tone } from "./badge.tsx";
import { DateTime } from "./date-time.tsx";

export type Moment = {
  readonly key: string;
  readonly at: number;
  readonly icon: LucideIcon;
  readonly tone?: Tone;
  readonly title: ReactNode;
  /** The actor and the outcome of the entry. */
  readonly detail?: ReactNode;
};

const dots: Readonly<Record<Tone, string>> = {
  positive: "bg-positive-soft text-positive",
  warning: "bg-warning-soft text-warning",
  negative: "bg-negative-soft text-negative",
  info: "bg-info-soft text-info",
  neutral: "bg-sunken text-ink-soft",
};

/** A history, newest first. */
export function Timeline({ moments, label }: { moments: readonly Moment[]; label: string }) {
  return (
    <ol aria-label={label} className="grid">
      {moments.map(({ key, at, icon: Icon, tone = "neutral", title, detail }) => (
        <li
          key={key}
          className="group relative grid grid-cols-[1.75rem_minmax(0,1fr)] gap-x-3 pb-5 last:pb-0"
        >
          <span
            aria-hidden="true"
            className="absolute top-7 bottom-0 left-3.5 w-px bg-line group-last:hidden"
          />
          <span className={`grid size-7 place-items-center rounded-full ${dots[tone]}`}>
            <Icon aria-hidden="true" className="size-3.5" />
          </span>
          <div className="min-w-0 pt-0.5">
            <div className="flex flex-wrap items-baseline justify-between gap-x-4 max-sm:flex-col">
              <p className="font-medium">{title}</p>
              <p className="text-sm text-ink-soft">
                <DateTime at={at} />
              </p>
            </div>
            {detail && <div className="text-sm wrap-anywhere text-ink-soft">{detail}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}
