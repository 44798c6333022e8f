import type { Decision } from "@florin/contract/decision.ts";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useMay } from "../../api/signed-in-person.ts";
import { useObject } from "../../api/use-object.ts";
import { formatMoney } from "../../components/amount.ts";
import { Status } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { Id } from "../../components/id.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { CurrencyCode } from "../../components/money.tsx";
import { Page } from "../../components/page.tsx";
import { PagePlaceholder } from "../../components/page-placeholder.tsx";
import { Panel } from "../../components/panel.tsx";
import { PaymentDecision } from "../payments/payment-decision.tsx";
import { ReviewDialog, type Verdict } from "../reviews/review-dialog.tsx";

const back = { to: "/reviews", label: "Reviews" };

/** One decision with its payment. A decision in review can be approved or declined. */
export function DecisionPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { data: decision, error } = useObject<Decision>(`/decisions/${id}`);
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const may = useMay();
  if (!decision) {
    return <PagePlaceholder title="Decision" back={back} problem={error} lines={6} />;
  }
  const { amount, currency, review, charge_id, customer_id, email, ip } = decision;
  const isOpen = review === "open" && may("reviews:write");
  return (
    <Page
      title={formatMoney(amount, currency)}
      back={back}
      beside={
        <>
          <CurrencyCode currency={currency} />
          <Status status={review === "open" ? "in_review" : (review ?? decision.outcome)} />
        </>
      }
      lead={<Id id={decision.id} />}
      actions={
        isOpen && (
          <>
            <Button onClick={() => setVerdict("approve")}>Approve</Button>
            <Button weight="danger" onClick={() => setVerdict("decline")}>
              Decline
            </Button>
          </>
        )
      }
    >
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <PaymentDecision id={decision.id} />
        <Panel title="Details">
          <KeyValues
            items={[
              [
                "Payment",
                charge_id && <Id key="ch" id={charge_id} to={`/payments/${charge_id}`} brief />,
              ],
              customer_id !== null && [
                "Customer",
                <Id key="cus" id={customer_id} to={`/customers/${customer_id}`} brief />,
              ],
              email !== null && ["Email", email],
              ip !== null && ["IP address", ip],
              ["Created", <DateTime key="at" at={decision.created} />],
              ...Object.entries(decision.metadata),
            ]}
          />
        </Panel>
      </div>
      {verdict && (
        <ReviewDialog decision={decision} verdict={verdict} onClose={() => setVerdict(null)} />
      )}
    </Page>
  );
}
