import type { OperatorProposal, OperatorProposals } from "@florin/contract/operator.ts";
import { ClipboardCheck } from "lucide-react";
import { useState } from "react";
import { useAdminOperation, useAdminQuery } from "../../api/admin.ts";
import { Status } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Json } from "../../components/code.tsx";
import { Ago, DateTime } from "../../components/date-time.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { Id } from "../../components/id.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { NoValue } from "../../components/no-value.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Table } from "../../components/table.tsx";
import { showToast } from "../../components/toast.tsx";

const kinds: Readonly<Record<OperatorProposal["kind"], string>> = {
  approve_application: "Approve an application",
  change_terms: "Change an account’s terms",
  add_operator: "Add an operator",
  reset_operator_factor: "Reset an operator’s two-step verification",
  reset_member_factor: "Reset a member’s two-step verification",
  activate_connection: "Activate a connection to an acquirer",
  replace_secrets: "Replace the secrets of a connection to an acquirer",
  create_assignment: "Assign an account to a connection",
  change_assignment: "Change an account’s assignment to a connection",
};

/** Changes that need the confirmation of a second operator. */
export function ProposalsPage() {
  const { data, isPending, error } = useAdminQuery<OperatorProposals>("/proposals", {}, 30_000);
  const [shown, setShown] = useState<OperatorProposal | null>(null);
  return (
    <Page
      title="Proposals"
      lead="Changes that need a second operator. A proposal expires after 24 hours, and becomes obsolete when its object changes."
    >
      {data && !data.four_eyes && (
        <Notice>
          Confirmation by a second operator is off. A single operator can approve applications,
          change terms, add operators, reset two-step verification, activate connections to
          acquirers, replace the keys of their notifications and assign accounts to them. Set
          FLORIN_FOUR_EYES=on to require a second operator.
        </Notice>
      )}
      <Panel flush>
        <Table
          label="Proposals"
          rows={data?.data ?? []}
          keyOf={({ id }) => id}
          pending={isPending}
          problem={error}
          columns={[
            {
              title: "Change",
              cell: (proposal) => (
                <button type="button" className="link text-left" onClick={() => setShown(proposal)}>
                  {kinds[proposal.kind]}
                </button>
              ),
            },
            { title: "Status", cell: ({ status }) => <Status status={status} /> },
            {
              title: "Proposed by",
              from: "sm",
              below: "title and cell",
              cell: ({ proposed_by, is_own }) => (
                <span className="wrap-anywhere">{is_own ? "You" : proposed_by}</span>
              ),
            },
            {
              title: "Account",
              from: "lg",
              cell: ({ account }) =>
                account ? (
                  <Id id={account} brief to={`/operator/accounts/${account}`} />
                ) : (
                  <NoValue />
                ),
            },
            {
              title: "Created",
              align: "end",
              from: "md",
              cell: ({ created }) => <Ago at={created} />,
            },
          ]}
          empty={
            <EmptyState icon={ClipboardCheck} title="No proposals">
              Changes that need a second operator appear here.
            </EmptyState>
          }
        />
      </Panel>
      {shown && <ProposalDialog proposal={shown} onClose={() => setShown(null)} />}
    </Page>
  );
}

function ProposalDialog({
  proposal,
  onClose,
}: {
  proposal: OperatorProposal;
  onClose: () => void;
}) {
  const { id, kind, status, is_own, account, reason, details } = proposal;
  const close = (text: string) => () => {
    showToast(text);
    onClose();
  };
  const confirm = useAdminOperation<object>(`/proposals/${id}/confirm`, {
    done: close("Change confirmed and applied."),
  });
  const dismiss = useAdminOperation<object>(`/proposals/${id}/dismiss`, {
    done: close(is_own ? "Proposal withdrawn." : "Proposal rejected."),
  });
  const isPending = status === "pending";
  const dismissal = is_own ? "Withdraw" : "Reject";
  return (
    <Dialog open title={kinds[kind]} wide onClose={onClose}>
      <div className="grid grid-cols-1 gap-5">
        <KeyValues
          items={[
            ["Status", <Status key="status" status={status} />],
            ["Proposed by", is_own ? "You" : proposal.proposed_by],
            [
              "Reason",
              <span key="reason" className="whitespace-pre-line">
                {reason}
              </span>,
            ],
            account
              ? ["Account", <Id key="account" id={account} to={`/operator/accounts/${account}`} />]
              : null,
            ["Created", <DateTime key="created" at={proposal.created} />],
            isPending ? ["Expires", <DateTime key="expires" at={proposal.expires_at} />] : null,
            proposal.decided_by ? ["Decided by", proposal.decided_by] : null,
            proposal.decided_at
              ? ["Decided", <DateTime key="decided" at={proposal.decided_at} />]
              : null,
          ]}
        />
        <Json label="details" value={details} />
        {isPending && is_own && (
          <Form
            submit={dismissal}
            busy={dismiss.pending}
            problem={dismiss.problem}
            onSubmit={() => void dismiss.run({})}
            onCancel={onClose}
          >
            <p className="text-ink-soft">Another operator must confirm your proposal.</p>
          </Form>
        )}
        {isPending && !is_own && (
          <Form
            submit="Confirm"
            busy={confirm.pending}
            problem={confirm.problem ?? dismiss.problem}
            onSubmit={(form) => void confirm.run({ hmac_key: textOf(form, "hmac_key") })}
            onCancel={onClose}
          >
            {kind === "replace_secrets" && (
              <TextField
                name="hmac_key"
                label="New key at the acquirer"
                hint="Read the HMAC key, signing secret or signature key in the acquirer’s own console, not in a message from the proposer. The change is made only if this key is the proposed one. After five wrong keys, the proposal ends."
                type="password"
                autoComplete="off"
              />
            )}
            <span>
              <Button
                small
                weight="danger"
                busy={dismiss.pending}
                onClick={() => void dismiss.run({})}
              >
                {dismissal}
              </Button>
            </span>
          </Form>
        )}
      </div>
    </Dialog>
  );
}
