import type { ReactNode } from "react";
import { GivenText } from "./given-text.tsx";
import { NoValue } from "./no-value.tsx";

export type KeyValue = readonly [name: string, value: ReactNode];

/** The properties of one object with their names. Items that are null or false are left out. */
export function KeyValues({ items }: { items: readonly (KeyValue | null | false)[] }) {
  return (
    <div className="@container">
      <dl className="grid grid-cols-1 gap-x-4 gap-y-2.5 @[14rem]:grid-cols-[minmax(6rem,7.5rem)_minmax(0,1fr)] @md:grid-cols-[11rem_minmax(0,1fr)]">
        {items
          .filter((item) => item !== null && item !== false)
          .map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="min-w-0 pt-px text-sm wrap-anywhere text-ink-soft">
                <GivenText text={name} />
              </dt>
              <dd className="min-w-0 wrap-anywhere">
                {typeof value === "string" ? <GivenText text={value} /> : (value ?? <NoValue />)}
              </dd>
            </div>
          ))}
      </dl>
    </div>
  );
}
