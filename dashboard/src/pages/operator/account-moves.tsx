import type { OperatorAccount } from "@florin/contract/operator.ts";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { ReasonDialog, type ReasonWords } from "./reason-dialog.tsx";

const moves = {
  suspend: {
    button: "Suspend",
    title: "Suspend the account",
    lead: "Live charges are refused from the next second on. Refunds, disputes and test mode go on.",
    done: "Suspended.",
    weight: "danger",
  },
  reinstate: {
    button: "Lift suspension",
    title: "Lift the suspension",
    lead: "The merchant can charge in live mode again.",
    done: "The suspension was lifted.",
    weight: "primary",
  },
  close: {
    button: "Close",
    title: "Close the account for good",
    lead: "Nothing can be charged any more, in live mode or in test mode. A closed account stays closed.",
    done: "Closed.",
    weight: "danger",
  },
} as const satisfies Record<string, ReasonWords>;

/** The operations that the account's status allows. */
export function AccountMoves({ account }: { account: OperatorAccount }) {
  const [open, setOpen] = useState<keyof typeof moves | null>(null);
  const { id, status } = account;
  if (status === "closed") return null;
  return (
    <>
      <Button weight="danger" onClick={() => setOpen("close")}>
        Close
      </Button>
      {status === "suspended" ? (
        <Button onClick={() => setOpen("reinstate")}>Lift suspension</Button>
      ) : (
        <Button
          weight="danger"
          unavailable={status === "approved" ? null : "Live mode is not open to it yet."}
          onClick={() => setOpen("suspend")}
        >
          Suspend
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
