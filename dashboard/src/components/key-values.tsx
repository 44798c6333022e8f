import type { ReactNode } from "react";

export type KeyValue = readonly [name: string, value: ReactNode];

/** Facts of one object, name by name. What is null is left out. */
export function KeyValues({ facts }: { facts: readonly (KeyValue | null | false)[] }) {
  return (
    <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-[minmax(8rem,11rem)_minmax(0,1fr)]">
      {facts
        .filter((fact) => fact !== null && fact !== false)
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="-mb-2.5 text-sm text-ink-soft sm:mb-0">{name}</dt>
            <dd className="min-w-0 break-words">
              {value ?? <span className="text-ink-faint">—</span>}
            </dd>
          </div>
        ))}
    </dl>
  );
}
