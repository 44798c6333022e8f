import type { ReviewedApplication } from "@florin/contract/operator.ts";
import { useState } from "react";
import { useAdminOperation } from "../../api/admin.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { TextArea } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { showDoneToast } from "./done-toast.ts";
import { AskForMore } from "./request-information.tsx";

type Open = "approve" | "reject" | "reopen" | "ask" | null;

const words = {
  approve: {
    button: "Approve",
    title: "Approve for live mode",
    lead: "The merchant can create live keys. Live charges also require an acquirer.",
    label: "Reason for approval",
    hint: "Recorded in the audit log, which the merchant can read.",
    done: "Application approved.",
  },
  reject: {
    button: "Reject",
    title: "Reject application",
    lead: "Live mode stays disabled. You can reopen the application later.",
    label: "Reason",
    hint: "The merchant sees this reason.",
    done: "Application rejected.",
  },
  reopen: {
    button: "Reopen",
    title: "Reopen application",
    lead: "Returns the application to review unchanged.",
    label: "Reason",
    hint: "Recorded in the audit log, which the merchant can read.",
    done: "Application reopened.",
  },
} as const;

/** The decisions on an application. Those that are not possible yet are shown with the reason. */
export function Decisions({ review }: { review: ReviewedApplication }) {
  const [open, setOpen] = useState<Open>(null);
  const { application, account, checklist } = review;
  const { status, version } = application;
  const path = `/accounts/${account.id}/application`;
  const begin = useAdminOperation<{ version: number }>(`${path}/begin_review`);
  const unchecked = checklist.filter(({ checked_at }) => checked_at === null).length;
  const close = () => setOpen(null);
  return (
    <>
      {status === "submitted" && (
        <Button weight="primary" busy={begin.pending} onClick={() => void begin.run({ version })}>
          Begin review
        </Button>
      )}
      {status === "in_review" && (
        <>
          <Button weight="danger" onClick={() => setOpen("reject")}>
            Reject
          </Button>
          <Button onClick={() => setOpen("ask")}>Request information</Button>
          <Button
            weight="primary"
            unavailable={unchecked > 0 ? `Complete the checklist first. ${unchecked} left.` : null}
            onClick={() => setOpen("approve")}
          >
            Approve
          </Button>
        </>
      )}
      {status === "rejected" && <Button onClick={() => setOpen("reopen")}>Reopen</Button>}
      {open === "ask" && <AskForMore path={path} version={version} onClose={close} />}
      {open !== null && open !== "ask" && (
        <WithReason kind={open} path={path} version={version} onClose={close} />
      )}
    </>
  );
}

function WithReason({
  kind,
  path,
  version,
  onClose,
}: {
  kind: keyof typeof words;
  path: string;
  version: number;
  onClose: () => void;
}) {
  const { title, lead, label, hint, button, done } = words[kind];
  const act = useAdminOperation<object>(`${path}/${kind}`, {
    done(response) {
      showDoneToast(response, done);
      onClose();
    },
  });
  return (
    <Dialog open title={title} lead={lead} onClose={onClose}>
      <Form
        submit={button}
        weight={kind === "reject" ? "danger" : "primary"}
        busy={act.pending}
        problem={act.problem}
        onSubmit={(form) => void act.run({ version, reason: textOf(form, "reason") })}
        onCancel={onClose}
      >
        <TextArea name="reason" label={label} hint={hint} />
      </Form>
    </Dialog>
  );
}
