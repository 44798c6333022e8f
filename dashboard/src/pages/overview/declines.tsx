import type { PaymentMetrics } from "@florin/contract/metrics.ts";
import { inWords } from "../../components/badge.tsx";
import { PageLink } from "../../components/link.tsx";
import { formatPercent } from "../../components/numbers.ts";
import { Panel } from "../../components/panel.tsx";

/**
 * The decline reasons, most frequent first. For each, shows by how much it lowers the success rate, with a link to its
 * payments.
 */
export function Declines({ metrics }: { metrics: PaymentMetrics }) {
  const { declines, total } = metrics;
  const reasons = declines.slice(0, 6);
  const maxCount = reasons[0]?.count ?? 1;
  const decided = Math.max(total.succeeded + total.failed, 1);
  return (
    <Panel title="Decline reasons">
      <ul className="grid gap-3">
        {reasons.map(({ decline_code, count }) => (
          <li key={decline_code} className="grid gap-1">
            <span className="flex justify-between gap-3">
              <PageLink to={`/payments?decline_code=${decline_code}`} className="hover:underline">
                {inWords(decline_code)}
              </PageLink>
              <span className="whitespace-nowrap tabular-nums">
                {count}
                <span className="ml-2 text-sm text-ink-soft">
                  −{formatPercent(count / decided)}
                </span>
              </span>
            </span>
            <span aria-hidden="true" className="h-1.5 overflow-hidden rounded-full bg-sunken">
              <span
                className="block h-full rounded-full bg-negative"
                style={{ width: `${(count / maxCount) * 100}%` }}
              />
            </span>
          </li>
        ))}
      </ul>
      <p className="mt-3 text-sm text-ink-soft">
        Percentages show how much each reason lowers the success rate.
      </p>
    </Panel>
  );
}
