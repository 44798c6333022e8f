import type { PaymentMetrics } from "@florin/contract/metrics.ts";
import { Rocket } from "lucide-react";
import { useObject } from "../../api/use-object.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { LoadError } from "../../components/load-error.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Attention } from "./attention-items.tsx";
import { BalancePanel } from "./balance-panel.tsx";
import { RangePicker, rangeOf } from "./date-range.tsx";
import { Declines } from "./declines.tsx";
import { LatestPayments } from "./latest-payments.tsx";
import { PaymentCharts } from "./payment-charts.tsx";
import { PaymentFlow } from "./payment-flow.tsx";
import { SetupChecklist } from "./setup-checklist.tsx";

/** The overview: items that need attention, payment figures, and the balance. */
export function OverviewPage() {
  const [{ range: chosen }] = useUrlQuery();
  const range = rangeOf(chosen);
  const { data, error } = useObject<PaymentMetrics>("/metrics/payments", range.query);
  // The charts wait for the metrics of both periods. Otherwise, they would be drawn again when the metrics of the
  // previous period arrive.
  const before = useObject<PaymentMetrics>("/metrics/payments", range.previous);
  const isShown = data !== undefined && !before.isLoading;
  return (
    <Page title="Overview" actions={<RangePicker chosen={range} />}>
      {/* These are separate components, so that their ten reads do not cause renders of the charts. */}
      <SetupChecklist />
      <Attention />
      {error && <LoadError problem={error} />}
      {isShown && data.total.payments === 0 && <NoPayments />}
      {isShown && data.total.payments > 0 && (
        <>
          <PaymentCharts metrics={data} previous={before.data} range={range} />
          <PaymentFlow funnel={data.funnel} />
        </>
      )}
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <LatestPayments />
        <div className="grid gap-6">
          <BalancePanel />
          {data && data.declines.length > 0 && <Declines metrics={data} />}
        </div>
      </div>
    </Page>
  );
}

function NoPayments() {
  return (
    <Panel>
      <EmptyState
        icon={Rocket}
        title="No payments in this period"
        action={
          <ButtonLink to="/start" weight="primary">
            Create a payment
          </ButtonLink>
        }
      >
        Payment volume, number of payments and success rate appear here.
      </EmptyState>
    </Panel>
  );
}
