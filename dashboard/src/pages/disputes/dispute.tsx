import type { Dispute } from "@florin/contract/dispute.ts";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useMay } from "../../api/me.ts";
import { useObject } from "../../api/use-object.ts";
import { useOperation } from "../../api/use-operation.ts";
import { formatMoney } from "../../components/amount.ts";
import { inWords, Status } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { DateTime, formatTime } from "../../components/date-time.tsx";
import { Id } from "../../components/id.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { CurrencyCode } from "../../components/money.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { PagePlaceholder } from "../../components/page-placeholder.tsx";
import { Panel } from "../../components/panel.tsx";
import { showToast } from "../../components/toast.tsx";
import { Deadline } from "./deadline.tsx";
import { evidenceLabels } from "./evidence.ts";
import { EvidenceForm } from "./evidence-form.tsx";

const back = { to: "/disputes", label: "Disputes" };

export function DisputePage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { data: dispute, error } = useObject<Dispute>(`/disputes/${id}`);
  const may = useMay();
  if (!dispute) {
    return <PagePlaceholder title="Dispute" back={back} problem={error} lines={5} />;
  }
  const canRespond = dispute.status === "needs_response" && may("disputes:write");
  return (
    <Page
      title={formatMoney(dispute.amount, dispute.currency)}
      back={back}
      beside={
        <>
          <CurrencyCode currency={dispute.currency} />
          <Status status={dispute.status} />
        </>
      }
      lead={<Id id={dispute.id} />}
      actions={canRespond && <Accept dispute={dispute} />}
    >
      <StatusNotice dispute={dispute} />
      {dispute.response_problem !== null && (
        <Notice tone="negative">
          The acquirer rejected the response: {dispute.response_problem}
        </Notice>
      )}
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_21rem]">
        <Panel title={canRespond ? "Evidence" : "Submitted evidence"}>
          {canRespond ? <EvidenceForm dispute={dispute} /> : <Evidence dispute={dispute} />}
        </Panel>
        <Panel title="Details">
          <KeyValues
            items={[
              [
                "Payment",
                <Id key="ch" id={dispute.charge_id} to={`/payments/${dispute.charge_id}`} brief />,
              ],
              ["Reason", inWords(dispute.reason)],
              ["Opened", <DateTime key="at" at={dispute.created} />],
              dispute.status === "needs_response" && [
                "Respond by",
                <Deadline key="by" dispute={dispute} />,
              ],
              [
                "Funds",
                dispute.funds_withdrawn ? "Withdrawn from your balance" : "In your balance",
              ],
              dispute.balance_transaction_id !== null && [
                "Withdrawal",
                <Id key="txn" id={dispute.balance_transaction_id} brief />,
              ],
              dispute.reversal_balance_transaction_id !== null && [
                "Reversal",
                <Id key="back" id={dispute.reversal_balance_transaction_id} brief />,
              ],
            ]}
          />
        </Panel>
      </div>
    </Page>
  );
}

function StatusNotice({ dispute }: { dispute: Dispute }) {
  const until = formatTime(dispute.evidence_due_by);
  switch (dispute.status) {
    case "needs_response":
      return dispute.is_inquiry ? (
        <Notice tone="warning">
          The issuer has requested information. No funds were withdrawn. Respond by {until}, or the
          inquiry becomes a dispute.
        </Notice>
      ) : (
        <Notice tone="warning">
          The disputed amount and a fee were withdrawn from your balance. Respond by {until}, or you
          lose the dispute.
        </Notice>
      );
    case "under_review":
      return (
        <Notice>
          The card network is reviewing your evidence. A decision can take several weeks.
        </Notice>
      );
    case "won":
      return <Notice tone="positive">You won this dispute and keep the funds.</Notice>;
    case "lost":
      return <Notice tone="negative">You lost this dispute. The decision is final.</Notice>;
  }
}

function Evidence({ dispute }: { dispute: Dispute }) {
  const given = Object.entries(dispute.evidence ?? {});
  if (given.length === 0) return <p className="text-ink-soft">No evidence was submitted.</p>;
  return (
    <KeyValues
      items={given.map(([name, words]) => [
        evidenceLabels[name as keyof typeof evidenceLabels] ?? inWords(name),
        <span key={name} className="whitespace-pre-wrap">
          {words}
        </span>,
      ])}
    />
  );
}

function Accept({ dispute }: { dispute: Dispute }) {
  const [open, setOpen] = useState(false);
  const accept = useOperation<void, Dispute>(
    (api, _none, key) => api.post(`/disputes/${dispute.id}/accept`, {}, key),
    {
      done: () => {
        showToast("Dispute accepted.");
        setOpen(false);
      },
    },
  );
  return (
    <>
      <Button weight="danger" onClick={() => setOpen(true)}>
        Accept
      </Button>
      <ConfirmDialog
        open={open}
        title="Accept dispute"
        lead={`${formatMoney(dispute.amount, dispute.currency)} stays with the cardholder. This cannot be undone.`}
        submit="Accept dispute"
        operation={accept}
        onClose={() => setOpen(false)}
      />
    </>
  );
}
