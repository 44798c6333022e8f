import type { Decision } from "@florin/contract/decision.ts";
import { useEffect } from "react";
import { useOperation } from "../../api/use-operation.ts";
import { formatMoney } from "../../components/amount.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { showToast } from "../../components/toast.tsx";

export type Verdict = "approve" | "decline";

type Props = {
  readonly decision: Decision;
  readonly verdict: Verdict;
  readonly onClose: () => void;
};

/** Approves or declines a payment in review. The submit button has the focus, so that Enter confirms. */
export function ReviewDialog({ decision, verdict, onClose }: Props) {
  const { id, amount, currency, charge_id } = decision;
  const shown = formatMoney(amount, currency);
  const operation = useOperation<void, Decision>(
    (api, _, key) => api.post(`/decisions/${id}/${verdict}`, {}, key),
    {
      done: () => {
        showToast(
          verdict === "approve" ? `Payment of ${shown} approved.` : `Payment of ${shown} declined.`,
        );
        onClose();
      },
    },
  );
  useEffect(() => {
    document.querySelector<HTMLElement>("dialog[open] button[type=submit]")?.focus();
  }, []);
  return (
    <ConfirmDialog
      open
      title={verdict === "approve" ? `Approve ${shown}` : `Decline ${shown}`}
      lead={consequence(verdict, charge_id !== null)}
      submit={verdict === "approve" ? "Approve" : "Decline"}
      danger={verdict === "decline"}
      operation={operation}
      onClose={onClose}
    />
  );
}

function consequence(verdict: Verdict, isHeld: boolean): string {
  if (!isHeld) {
    return verdict === "approve"
      ? "A charge can use this decision until it expires."
      : "A charge with this decision will be declined.";
  }
  return verdict === "approve"
    ? "Captures the authorized amount now."
    : "Releases the authorized amount. The customer is not charged. This cannot be undone.";
}
