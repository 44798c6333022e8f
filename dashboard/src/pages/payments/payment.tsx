import type { Charge } from "@florin/contract/charge.ts";
import { useParams } from "@tanstack/react-router";
import { useObject } from "../../api/use-object.ts";
import { formatMoney } from "../../components/amount.ts";
import { Id } from "../../components/id.tsx";
import { CurrencyCode } from "../../components/money.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { PagePlaceholder } from "../../components/page-placeholder.tsx";
import { Panel } from "../../components/panel.tsx";
import { PaymentActions } from "./payment-actions.tsx";
import { PaymentDecision } from "./payment-decision.tsx";
import { PaymentDeliveries, PaymentRequests } from "./payment-deliveries-and-requests.tsx";
import { CardPanel, MetadataPanel, PaymentDetails, ThreeDSecurePanel } from "./payment-details.tsx";
import { PaymentDisputes, PaymentRefunds, PaymentReview } from "./payment-follow-ups.tsx";
import { PaymentLedgerEntries } from "./payment-ledger-entries.tsx";
import { PaymentReceipts } from "./payment-receipts.tsx";
import { PaymentRoute } from "./payment-route.tsx";
import { PaymentStatus } from "./payment-status.tsx";
import { PaymentAttempts, PaymentTimeline } from "./payment-timeline.tsx";
import { statusExplanation } from "./status-explanation.ts";

const back = { to: "/payments", label: "Payments" };

/** Returns the refresh interval of a payment that is not final, or null. The outcome then appears without a reload. */
function refreshIntervalMs({ status, pending_reason }: Charge): number | null {
  const waits = status === "processing" || status === "requires_action" || pending_reason !== null;
  return waits ? 3_000 : null;
}

/** One payment: history, decision, requests, ledger entries and deliveries. */
export function PaymentPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { data: charge, error } = useObject<Charge>(
    `/charges/${id}`,
    {},
    { againMs: refreshIntervalMs },
  );
  if (!charge) {
    return <PagePlaceholder title="Payment" back={back} problem={error} lines={6} />;
  }
  const because = statusExplanation(charge);
  return (
    <Page
      title={formatMoney(charge.amount, charge.currency)}
      back={back}
      beside={
        <>
          <CurrencyCode currency={charge.currency} />
          <PaymentStatus charge={charge} />
        </>
      }
      lead={<Id id={charge.id} />}
      actions={<PaymentActions charge={charge} />}
    >
      {because && (
        <Notice tone={because.tone}>
          {because.title && <strong className="font-semibold">{because.title}. </strong>}
          {because.text}
        </Notice>
      )}
      <PaymentReview charge={charge} />
      <PaymentDisputes charge={charge} />
      {/* Order on a phone: history, details, then technical data. On a wide screen, the details are in a second column. */}
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_21rem] lg:grid-rows-[auto_1fr]">
        <div className="grid min-w-0 gap-6">
          <PaymentTimeline charge={charge} />
          <PaymentAttempts charge={charge} />
          <PaymentRefunds charge={charge} />
        </div>
        <div className="grid min-w-0 gap-6 lg:col-start-2 lg:row-span-2 lg:row-start-1">
          <Panel title="Details">
            <PaymentDetails charge={charge} />
          </Panel>
          <PaymentReceipts charge={charge} />
          <CardPanel charge={charge} />
          <ThreeDSecurePanel charge={charge} />
          <PaymentRoute charge={charge} />
          <PaymentDecision id={charge.decision_id} linked />
          <MetadataPanel metadata={charge.metadata} />
        </div>
        <div className="grid min-w-0 gap-6">
          <PaymentLedgerEntries charge={charge} />
          <PaymentDeliveries charge={charge} />
          <PaymentRequests charge={charge} />
        </div>
      </div>
    </Page>
  );
}
