import type { Charge } from "@florin/contract/charge.ts";
import type { Decision } from "@florin/contract/decision.ts";
import type { Dispute } from "@florin/contract/dispute.ts";
import type { Refund } from "@florin/contract/refund.ts";
import { useState } from "react";
import type { ListOf } from "../../api/api.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useObject } from "../../api/use-object.ts";
import { amountColumn } from "../../components/amount-column.tsx";
import { inWords, Status } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { DayAndTime, formatDay, formatTime } from "../../components/date-time.tsx";
import { ButtonLink, PageLink } from "../../components/link.tsx";
import { NoValue } from "../../components/no-value.tsx";
import { Notice } from "../../components/notice.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { ReviewDialog, type Verdict } from "../reviews/review-dialog.tsx";

function useDisputes(charge: Charge) {
  const may = useMay();
  return useObject<ListOf<Dispute>>(
    charge.amount_captured > 0 && may("disputes:read") ? "/disputes" : null,
    { charge_id: charge.id },
    { asOf: charge.version },
  );
}

function useRefunds(charge: Charge) {
  const may = useMay();
  return useObject<ListOf<Refund>>(
    charge.amount_captured > 0 && may("payments:read") ? "/refunds" : null,
    { charge_id: charge.id, limit: 100 },
    { asOf: charge.version },
  );
}

function mayBeInReview({ status, outcome }: Charge): boolean {
  return status === "authorized" && outcome.decision === "review";
}

function useReview(charge: Charge) {
  const may = useMay();
  return useObject<Decision>(
    mayBeInReview(charge) && may("decisions:read") ? `/decisions/${charge.decision_id}` : null,
    {},
    { asOf: charge.version },
  );
}

/** The disputes and inquiries of the payment, including closed ones, with the deadlines for the responses. */
export function PaymentDisputes({ charge }: { charge: Charge }) {
  const may = useMay();
  const { data } = useDisputes(charge);
  const disputes = data?.data ?? [];
  if (disputes.length === 0) {
    return charge.disputed ? <Notice tone="warning">{disputedText}</Notice> : null;
  }
  return disputes.map((dispute) => (
    <Notice
      key={dispute.id}
      tone={tones[dispute.status]}
      action={
        dispute.status === "needs_response" && may("disputes:write") ? (
          <ButtonLink small to={`/disputes/${dispute.id}`}>
            Respond by {formatDay(dispute.evidence_due_by)}
          </ButtonLink>
        ) : (
          <PageLink to={`/disputes/${dispute.id}`}>View dispute</PageLink>
        )
      }
    >
      {dispute.is_inquiry ? "The issuer has requested information." : disputedText}{" "}
      {disputeText(dispute)}
    </Notice>
  ));
}

const disputedText = "The cardholder disputed this payment with their bank.";
const tones = {
  needs_response: "warning",
  under_review: "info",
  won: "positive",
  lost: "negative",
} as const;

function disputeText({ status, evidence_due_by }: Dispute): string {
  switch (status) {
    case "needs_response":
      return `Respond by ${formatTime(evidence_due_by)}.`;
    case "under_review":
      return "The card network is reviewing your evidence.";
    case "won":
      return "You won the dispute.";
    case "lost":
      return "You lost the dispute.";
  }
}

/** The open review of the payment, with the buttons to approve and decline it. */
export function PaymentReview({ charge }: { charge: Charge }) {
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const may = useMay();
  const { data: decision } = useReview(charge);
  if (!mayBeInReview(charge) || decision?.review !== "open") return null;
  return (
    <>
      <Notice
        tone="info"
        action={
          may("reviews:write") && (
            <span className="flex flex-wrap gap-2">
              <Button small onClick={() => setVerdict("approve")}>
                Approve
              </Button>
              <Button small weight="danger" onClick={() => setVerdict("decline")}>
                Decline
              </Button>
            </span>
          )
        }
      >
        In review: the amount is authorized. It is captured only after you approve the payment.{" "}
        <PageLink to="/reviews">View all reviews</PageLink>
      </Notice>
      {verdict && (
        <ReviewDialog decision={decision} verdict={verdict} onClose={() => setVerdict(null)} />
      )}
    </>
  );
}

const columns: readonly Column<Refund>[] = [
  amountColumn,
  { title: "Status", cell: ({ status }) => <Status status={status} /> },
  {
    title: "Reason",
    from: "sm",
    below: reasonText,
    cell: (refund) => <span className="text-ink-soft">{reasonText(refund) ?? <NoValue />}</span>,
  },
  { title: "Created", align: "end", cell: ({ created }) => <DayAndTime at={created} /> },
];

function reasonText({ reason, failure_reason }: Refund): string | null {
  const shown = failure_reason ?? reason;
  return shown && inWords(shown);
}

/** The refunds of the payment, including failed ones. */
export function PaymentRefunds({ charge }: { charge: Charge }) {
  const { data } = useRefunds(charge);
  if (!data || data.data.length === 0) return null;
  return (
    <Panel title="Refunds" flush>
      <Table
        label="Refunds of this payment"
        columns={columns}
        rows={data.data}
        keyOf={({ id }) => id}
        to={({ id }) => `/refunds/${id}`}
        empty={null}
      />
    </Panel>
  );
}
