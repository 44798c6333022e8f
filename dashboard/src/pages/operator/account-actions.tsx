import type { OperatorAccount } from "@florin/contract/operator.ts";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { ReasonDialog, type ReasonWords } from "./reason-dialog.tsx";

const moves = {
  suspend: {
    button: "Suspend account",
    title: "Suspend account",
    lead: "Within a second, new live charges are rejected. Refunds, disputes and test mode keep working.",
    done: "Account suspended.",
    weight: "danger",
  },
  reinstate: {
    button: "Lift suspension",
    title: "Lift suspension",
    lead: "The merchant can charge in live mode again.",
    done: "Suspension lifted.",
    weight: "primary",
  },
  close: {
    button: "Close account",
    title: "Close account permanently",
    lead: "Rejects all charges in live mode and test mode. A closed account cannot be reopened.",
    done: "Account closed.",
    weight: "danger",
  },
} as const satisfies Record<string, ReasonWords>;

/** The operations that the account's status allows. */
export function AccountActions({ account }: { account: OperatorAccount }) {
  const [open, setOpen] = useState<keyof typeof moves | null>(null);
  const { id, status } = account;
  if (status === "closed") return null;
  return (
    <>
      <Button weight="danger" onClick={() => setOpen("close")}>
        Close account
      </Button>
      {status === "suspended" ? (
        <Button onClick={() => setOpen("reinstate")}>Lift suspension</Button>
      ) : (
        <Button
          weight="danger"
          unavailable={status === "approved" ? null : "Only approved accounts can be suspended."}
          onClick={() => setOpen("suspend")}
        >
          Suspend account
        </Button>
      )}
      {open && (
        <ReasonDialog
          path={`/accounts/${id}/${open}`}
          words={moves[open]}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  );
}
