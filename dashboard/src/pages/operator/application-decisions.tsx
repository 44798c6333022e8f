import type { ReviewedApplication } from "@florin/contract/operator.ts";
import { useState } from "react";
import { useAdminOperation } from "../../api/admin.ts";
import { Button } from "../../components/button.tsx";
import { ReasonDialog, type ReasonWords } from "./reason-dialog.tsx";
import { RequestInformation } from "./request-information.tsx";

type Open = "approve" | "reject" | "reopen" | "request_information" | null;

const words = {
  approve: {
    button: "Approve",
    title: "Approve for live mode",
    lead: "The merchant can create live keys. Live charges also require an acquirer.",
    label: "Reason for approval",
    done: "Application approved.",
    weight: "primary",
  },
  reject: {
    button: "Reject",
    title: "Reject application",
    lead: "Live mode stays disabled. You can reopen the application later.",
    hint: "The merchant sees this reason.",
    done: "Application rejected.",
    weight: "danger",
  },
  reopen: {
    button: "Reopen",
    title: "Reopen application",
    lead: "Returns the unchanged application to review.",
    done: "Application reopened.",
    weight: "primary",
  },
} as const satisfies Record<string, ReasonWords>;

/** Buttons that approve, reject or reopen an application. A disabled button shows the reason. */
export function ApplicationDecisions({ review }: { review: ReviewedApplication }) {
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
          <Button onClick={() => setOpen("request_information")}>Request information</Button>
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
      {open === "request_information" && (
        <RequestInformation path={path} version={version} onClose={close} />
      )}
      {open !== null && open !== "request_information" && (
        <ReasonDialog
          path={`${path}/${open}`}
          words={words[open]}
          params={{ version }}
          onClose={close}
        />
      )}
    </>
  );
}
