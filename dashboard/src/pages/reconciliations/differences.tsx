import type { ReconciliationDifference } from "@florin/contract/reconciliation.ts";
import { Id } from "../../components/id.tsx";
import { Money } from "../../components/money.tsx";
import { statusLabel } from "../../components/status-label.ts";
import { pageOfId } from "../../shell/page-of-id.ts";
import { DifferenceBadge } from "./reconciliation-status.tsx";

/** The differences. For each, shows the values of both sides, the meaning and the next step. */
export function Differences({ list }: { list: readonly ReconciliationDifference[] }) {
  return (
    <ul className="divide-y divide-line">
      {list.map((one) => (
        <li key={one.id} className="grid gap-3 px-4 py-4 sm:px-5">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h3 className="font-medium">{statusLabel(one.kind)}</h3>
            <DifferenceBadge status={one.status} />
            <span className="sm:ml-auto">
              <Subject difference={one} />
            </span>
          </div>
          <p className="wrap-anywhere">{one.message}</p>
          <Sides difference={one} />
          {one.status === "open" && (
            <p className="text-ink-soft">
              <span className="font-medium text-ink">Next step: </span>
              {one.advice}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

function Subject({
  difference: { object_id, reference },
}: {
  difference: ReconciliationDifference;
}) {
  const to = object_id && pageOfId(object_id);
  return <Id id={object_id ?? reference} {...(to && { to })} brief />;
}

const sides = [
  ["payment", "Payments"],
  ["acquirer", "Acquirer"],
  ["ledger", "Ledger"],
] as const;

function Sides({ difference }: { difference: ReconciliationDifference }) {
  if (difference.kind === "totals_differ") return null;
  return (
    <dl className="grid grid-cols-3 gap-3 rounded-md bg-sunken px-4 py-2.5">
      {sides.map(([name, label]) => {
        const side = difference[name];
        return (
          <div key={name} className="min-w-0">
            <dt className="text-xs text-ink-soft">{label}</dt>
            <dd className="wrap-anywhere">
              {side?.currency ? (
                <Money amount={side.amount} currency={side.currency} />
              ) : (
                <span className="text-ink-soft">{side ? side.amount : "None"}</span>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
