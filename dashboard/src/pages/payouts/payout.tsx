import type { Payout } from "@florin/contract/balance.ts";
import type { Count } from "@florin/contract/list.ts";
import { useParams } from "@tanstack/react-router";
import { useMay } from "../../api/signed-in-person.ts";
import { useApi } from "../../api/use-api.ts";
import { useObject } from "../../api/use-object.ts";
import { useOperation } from "../../api/use-operation.ts";
import { formatMoney } from "../../components/amount.ts";
import { Status } from "../../components/badge.tsx";
import { balanceTransactionItems } from "../../components/balance-transaction-items.tsx";
import { Button } from "../../components/button.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { Id } from "../../components/id.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { PageLink } from "../../components/link.tsx";
import { CurrencyCode } from "../../components/money.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { PagePlaceholder } from "../../components/page-placeholder.tsx";
import { Panel } from "../../components/panel.tsx";
import { showToast } from "../../components/toast.tsx";
import { payoutDescription, payoutType } from "./payout-description.ts";

const back = { to: "/payouts", label: "Payouts" };

export function PayoutPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { data: payout, error } = useObject<Payout>(`/payouts/${id}`);
  const may = useMay();
  const { data: payments, isLoading } = useObject<Count>(
    may("payments:read") ? "/charges/count" : null,
    { payout_id: id },
  );
  if (!payout || isLoading) {
    return <PagePlaceholder title="Payout" back={back} problem={error} lines={4} />;
  }
  const { amount, currency, status } = payout;
  return (
    <Page
      title={formatMoney(amount, currency)}
      back={back}
      beside={
        <>
          <CurrencyCode currency={currency} />
          <Status status={status} />
        </>
      }
      lead={<Id id={payout.id} />}
      actions={<SimulateFailure payout={payout} />}
    >
      {status === "failed" && (
        <Notice tone="negative">
          The bank returned this payout because the account is closed. The amount is back in your
          balance.
        </Notice>
      )}
      <Panel title="Details">
        <KeyValues
          items={[
            ["Description", payoutDescription(payout)],
            payout.description !== null && ["Type", payoutType(payout)],
            payments !== undefined &&
              payments.count > 0 && [
                "Payments",
                <PageLink key="ch" to={`/payments?payout_id=${payout.id}`}>
                  {payments.count}
                  {payments.exact ? "" : " or more"}
                </PageLink>,
              ],
            ["Created", <DateTime key="created" at={payout.created} />],
            status !== "failed" && [
              status === "paid" ? "Arrived" : "Arrives",
              <DateTime key="arrives" at={payout.arrival_date} />,
            ],
            ...balanceTransactionItems(payout),
            ...Object.entries(payout.metadata),
          ]}
        />
      </Panel>
    </Page>
  );
}

/** In test mode, makes a payout fail as if the bank account were closed. */
function SimulateFailure({ payout }: { payout: Payout }) {
  const { scope } = useApi();
  const may = useMay();
  const fail = useOperation<void, Payout>(
    (api, _, key) => api.post(`/test_helpers/payouts/${payout.id}/fail`, {}, key),
    { done: () => showToast("Payout failed.") },
  );
  if (scope.mode !== "test" || !may("test_helpers:write") || payout.status !== "in_transit") {
    return null;
  }
  return (
    <Button busy={fail.pending} onClick={() => void fail.run()}>
      Simulate failure
    </Button>
  );
}
