import type { Refund } from "@florin/contract/refund.ts";
import { useParams } from "@tanstack/react-router";
import { useObject } from "../../api/use-object.ts";
import { formatMoney } from "../../components/amount.ts";
import { inWords, Status } from "../../components/badge.tsx";
import { balanceTransactionItems } from "../../components/balance-transaction-items.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { Id } from "../../components/id.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { CurrencyCode } from "../../components/money.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { PagePlaceholder } from "../../components/page-placeholder.tsx";
import { Panel } from "../../components/panel.tsx";

const back = { to: "/refunds", label: "Refunds" };

export function RefundPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { data: refund, error } = useObject<Refund>(`/refunds/${id}`);
  if (!refund) {
    return <PagePlaceholder title="Refund" back={back} problem={error} lines={4} />;
  }
  const { amount, currency, status, reason, failure_reason, pending_reason } = refund;
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
      lead={<Id id={refund.id} />}
    >
      {pending_reason && (
        <Notice>
          The acquirer has not confirmed this refund yet. The status updates automatically.
        </Notice>
      )}
      {status === "failed" && (
        <Notice tone="negative">
          This refund did not reach the customer
          {failure_reason && ` (${inWords(failure_reason).toLowerCase()})`}. The amount is back in
          your balance. Refund the customer another way.
        </Notice>
      )}
      <Panel title="Details">
        <KeyValues
          items={[
            ["Payment", <Id key="ch" id={refund.charge_id} to={`/payments/${refund.charge_id}`} />],
            ["Created", <DateTime key="at" at={refund.created} />],
            ["Reason", reason && inWords(reason)],
            ...balanceTransactionItems(refund),
            ...Object.entries(refund.metadata),
          ]}
        />
      </Panel>
    </Page>
  );
}
