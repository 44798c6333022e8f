import type { ReviewedApplication } from "@florin/contract/operator.ts";
import { useState } from "react";
import { useDeskAct } from "../../api/desk.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { TextArea } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { AskForMore } from "./ask-for-more.tsx";
import { sayDone } from "./say-done.ts";

type Open = "approve" | "reject" | "reopen" | "ask" | null;

const words = {
  approve: {
    button: "Approve",
    title: "Approve for live mode",
    lead: "The merchant can make live keys from now on. Live charges still need an acquirer.",
    label: "Why it is in order",
    hint: "Kept in the audit log, which the merchant can read.",
    done: "Approved.",
  },
  reject: {
    button: "Reject",
    title: "Reject the application",
    lead: "Live mode stays closed. It can be taken up again later.",
    label: "Why",
    hint: "The merchant reads this.",
    done: "Rejected.",
  },
  reopen: {
    button: "Take up again",
    title: "Take up the application again",
    lead: "It goes back into review as it stands.",
    label: "Why",
    hint: "Kept in the audit log, which the merchant can read.",
    done: "In review again.",
  },
} as const;

/** The decisions on an application. Those that are not possible yet are shown with the reason. */
export function Decisions({ review }: { review: ReviewedApplication }) {
  const [open, setOpen] = useState<Open>(null);
  const { application, account, checklist } = review;
  const { status, version } = application;
  const path = `/accounts/${account.id}/application`;
  const begin = useDeskAct<{ version: number }>(`${path}/begin_review`);
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
          <Button onClick={() => setOpen("ask")}>Ask for more</Button>
          <Button
            weight="primary"
            unavailable={
              unchecked > 0
                ? `${unchecked} items of the checklist are still to be looked at.`
                : null
            }
            onClick={() => setOpen("approve")}
          >
            Approve
          </Button>
        </>
      )}
      {status === "rejected" && <Button onClick={() => setOpen("reopen")}>Take up again</Button>}
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
  const act = useDeskAct<object>(`${path}/${kind}`, {
    done(response) {
      sayDone(response, done);
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
