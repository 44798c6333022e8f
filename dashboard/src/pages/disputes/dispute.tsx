import type { Charge } from "@florin/contract/charge.ts";
import type { Dispute, DisputeFile, EvidenceDraft } from "@florin/contract/dispute.ts";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { ListOf } from "../../api/api.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useObject } from "../../api/use-object.ts";
import { useOperation } from "../../api/use-operation.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { formatMoney } from "../../components/amount.ts";
import { inWords, Status } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { DateTime, formatTime } from "../../components/date-time.tsx";
import { BalanceTransactionId, Id } from "../../components/id.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { LoadError } from "../../components/load-error.tsx";
import { CurrencyCode, Money } from "../../components/money.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { PagePlaceholder } from "../../components/page-placeholder.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { showToast } from "../../components/toast.tsx";
import { Deadline } from "./deadline.tsx";
import { disputeReasonText } from "./evidence.ts";
import { EvidenceForm } from "./evidence-form.tsx";
import { DocumentActions, EvidenceReview, EvidenceTextsAndFiles } from "./evidence-review.tsx";
import { expectedEvidence, reasonCode } from "./reason-guidance.ts";

const back = { to: "/disputes", label: "Disputes" };

export function DisputePage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { data: dispute, error } = useObject<Dispute>(`/disputes/${id}`);
  const may = useMay();
  const { data: charge } = useObject<Charge>(
    dispute && may("payments:read") ? `/charges/${dispute.charge_id}` : null,
  );
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
        <Notice tone="negative">The response was not accepted: {dispute.response_problem}</Notice>
      )}
      {/* On a phone, the network's expectations are above the form, and the details are below it. */}
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_21rem] lg:grid-rows-[auto_1fr]">
        {dispute.status === "needs_response" && (
          <div className="min-w-0 lg:col-start-2">
            <ExpectedEvidence dispute={dispute} />
          </div>
        )}
        <div className="min-w-0 lg:col-start-1 lg:row-span-2 lg:row-start-1">
          {canRespond ? <Workbench dispute={dispute} /> : <SubmittedEvidence dispute={dispute} />}
        </div>
        <div className="grid min-w-0 gap-6 lg:col-start-2">
          <DisputeDetails dispute={dispute} brand={charge?.payment_method_details.card.brand} />
          {charge && <DisputedPayment charge={charge} />}
        </div>
      </div>
    </Page>
  );
}

function DisputeDetails({ dispute, brand }: { dispute: Dispute; brand: string | undefined }) {
  const code = reasonCode(dispute.reason, brand);
  return (
    <Panel title="Details">
      <KeyValues
        items={[
          [
            "Payment",
            <Id key="ch" id={dispute.charge_id} to={`/payments/${dispute.charge_id}`} brief />,
          ],
          ["Reason", inWords(dispute.reason)],
          code !== null && ["Network code", code],
          ["Opened", <DateTime key="at" at={dispute.created} />],
          dispute.status === "needs_response" && [
            "Respond by",
            <Deadline key="by" dispute={dispute} />,
          ],
          ["Funds", dispute.funds_withdrawn ? "Withdrawn from your balance" : "In your balance"],
          dispute.balance_transaction_id !== null && [
            "Withdrawal",
            <BalanceTransactionId
              key="txn"
              id={dispute.balance_transaction_id}
              source={dispute.id}
            />,
          ],
          dispute.reversal_balance_transaction_id !== null && [
            "Reversal",
            <BalanceTransactionId
              key="back"
              id={dispute.reversal_balance_transaction_id}
              source={dispute.id}
            />,
          ],
        ]}
      />
    </Panel>
  );
}

function ExpectedEvidence({ dispute }: { dispute: Dispute }) {
  return (
    <Panel title="What the network expects">
      <p className="mb-3 text-ink-soft">{disputeReasonText(dispute.reason, dispute.is_inquiry)}</p>
      <ul className="grid list-disc gap-2 pl-4">
        {expectedEvidence(dispute.reason).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </Panel>
  );
}

function DisputedPayment({ charge }: { charge: Charge }) {
  const { card } = charge.payment_method_details;
  const { customer_id, checkout_session_id, client_reference_id } = charge;
  return (
    <Panel title="Payment">
      <KeyValues
        items={[
          ["Paid", <DateTime key="at" at={charge.created} />],
          [
            "Amount",
            <Money key="amount" amount={charge.amount_captured} currency={charge.currency} named />,
          ],
          ["Card", <Card key="card" {...card} />],
          client_reference_id !== null && ["Order", client_reference_id],
          customer_id !== null && [
            "Customer",
            <Id key="cus" id={customer_id} to={`/customers/${customer_id}`} brief />,
          ],
          checkout_session_id !== null && [
            "Session",
            <Id
              key="cs"
              id={checkout_session_id}
              to={`/checkout-sessions/${checkout_session_id}`}
              brief
            />,
          ],
        ]}
      />
    </Panel>
  );
}

/** The evidence while it can be changed: the form, or the review before the submission. */
function Workbench({ dispute }: { dispute: Dispute }) {
  const [{ step }, change] = useUrlQuery();
  const [reloads, setReloads] = useState(0);
  const path = `/disputes/${dispute.id}/evidence_draft`;
  const { data: draft, error } = useObject<EvidenceDraft>(path);
  const list = useDisputeFiles(dispute);
  const problem = error ?? list.error;
  if (!draft || !list.data) {
    return (
      <Panel title="Evidence">
        {problem ? <LoadError problem={problem} /> : <Skeleton lines={16} />}
      </Panel>
    );
  }
  const files = list.data.data.toReversed();
  if (step === "review" && draft.version > 0) {
    const edit = () => change({ step: undefined });
    return <EvidenceReview dispute={dispute} draft={draft} files={files} onEdit={edit} />;
  }
  return (
    <Panel title="Evidence">
      <EvidenceForm
        key={reloads}
        dispute={dispute}
        draft={draft}
        files={files}
        onReview={() => {
          change({ step: "review" });
          scrollTo({ top: 0 });
        }}
        onReload={() => setReloads(reloads + 1)}
      />
    </Panel>
  );
}

function useDisputeFiles(dispute: Dispute) {
  return useObject<ListOf<DisputeFile>>("/dispute_files", { dispute_id: dispute.id });
}

function SubmittedEvidence({ dispute }: { dispute: Dispute }) {
  const may = useMay();
  const { data } = useDisputeFiles(dispute);
  const { files: sent = [], ...texts } = dispute.evidence ?? {};
  const files = sent.flatMap((id) => data?.data.find((file) => file.id === id) ?? []);
  if (dispute.evidence === null) {
    return (
      <Panel title="Submitted evidence">
        <p className="text-ink-soft">No evidence was submitted.</p>
      </Panel>
    );
  }
  const actions = may("disputes:write") && <DocumentActions dispute={dispute} />;
  return (
    <Panel title="Submitted evidence" actions={actions}>
      <div className="grid gap-6">
        <EvidenceTextsAndFiles texts={texts} files={files} />
      </div>
    </Panel>
  );
}

function StatusNotice({ dispute }: { dispute: Dispute }) {
  const until = formatTime(dispute.evidence_due_by);
  switch (dispute.status) {
    case "needs_response":
      return dispute.is_inquiry ? (
        <Notice tone="warning">
          The issuer has requested information. No funds were withdrawn. Respond by {until}, or the
          inquiry becomes a chargeback.
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
        Accept dispute
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
