import type { Reconciliation, ReconciliationDifference } from "@florin/contract/reconciliation.ts";
import { useParams } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import type { ListOf } from "../../api/api.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useObject } from "../../api/use-object.ts";
import { useOperation } from "../../api/use-operation.ts";
import { Button } from "../../components/button.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { formatDate } from "../../components/format-date.ts";
import { Money } from "../../components/money.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { PagePlaceholder } from "../../components/page-placeholder.tsx";
import { Panel } from "../../components/panel.tsx";
import { Problem } from "../../components/problem.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { showToast } from "../../components/toast.tsx";
import { Differences } from "./differences.tsx";
import { DayStatus } from "./reconciliation-status.tsx";

const back = { to: "/reconciliations", label: "Reconciliation" };

type Sum = Reconciliation["settled"][number];
const money = (
  title: string,
  of: keyof Omit<Sum, "currency" | "lines">,
  from?: Column<Sum>["from"],
  sign: 1 | -1 = 1,
) => ({
  title,
  align: "end" as const,
  ...(from && { from }),
  cell: (sum: Sum) => <Money amount={sign * sum[of]} currency={sum.currency} />,
});

const columns: readonly Column<Sum>[] = [
  { title: "Currency", cell: ({ currency }) => currency.toUpperCase() },
  { title: "Lines", from: "xl", align: "end", cell: ({ lines }) => lines },
  money("Captures", "captured"),
  money("Refunds", "refunded", "md"),
  money("Chargebacks", "charged_back", "xl"),
  // A fee reduces the net amount, like a refund.
  money("Fees", "fees", "lg", -1),
  money("Net", "net"),
];

/** The reconciliation of one day: the acquirer's settlement and the differences. */
export function ReconciliationPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const may = useMay();
  const { data: day, error } = useObject<Reconciliation>(`/reconciliations/${id}`);
  const found = useObject<ListOf<ReconciliationDifference>>("/reconciliation_differences", {
    reconciliation_id: id,
    limit: 100,
  }).data;
  const again = useOperation<string, Reconciliation>(
    (api, date, key) => api.post("/reconciliations", { day: date }, key),
    { done: () => showToast("Reconciled again.") },
  );
  if (!day) {
    return <PagePlaceholder title="Reconciliation" back={back} problem={error} lines={4} />;
  }
  return (
    <Page
      title={formatDate(day.day)}
      back={back}
      beside={<DayStatus status={day.status} />}
      lead={
        <>
          Compared with the settlement file of{" "}
          {day.processor === "simulator" ? "the simulator" : day.processor} on{" "}
          <DateTime at={day.checked_at} />.
        </>
      }
      actions={
        may("payouts:write") && (
          <Button busy={again.pending} onClick={() => void again.run(day.day)}>
            Reconcile again
          </Button>
        )
      }
    >
      {again.problem && <Problem problem={again.problem} />}
      {day.failure_message && <Notice tone="warning">{day.failure_message}</Notice>}
      {day.settled.length > 0 && (
        <Panel flush title="Settled by the acquirer">
          <Table
            label="Totals by currency"
            columns={columns}
            rows={day.settled}
            keyOf={({ currency }) => currency}
            empty={null}
          />
        </Panel>
      )}
      {found && (
        <Panel flush title="Differences">
          {found.data.length > 0 ? (
            <Differences list={found.data} />
          ) : (
            <EmptyState icon={CircleCheck} title="No differences on this day">
              Open differences of all days are on the Reconciliation page.
            </EmptyState>
          )}
        </Panel>
      )}
    </Page>
  );
}
