import type { Charge } from "@florin/contract/charge.ts";
import { useAct } from "../api/use-act.ts";
import { formatMoney } from "../components/amount.ts";
import { Dialog } from "../components/dialog.tsx";
import { say } from "../components/toast.tsx";
import { AmountForm } from "./amount-form.tsx";

/** Captures an authorized amount in full or in part, and releases the rest. */
export function CaptureDialog({
  charge,
  open,
  onClose,
}: {
  charge: Charge;
  open: boolean;
  onClose: () => void;
}) {
  const { currency } = charge;
  const capture = useAct<number, Charge>(
    (api, amount, key) => api.post(`/charges/${charge.id}/capture`, { amount }, key),
    {
      done: ({ amount_captured, pending_reason }) => {
        say(
          pending_reason
            ? "The bank has not answered yet; it is asked on."
            : `${formatMoney(amount_captured, currency)} were taken.`,
        );
        onClose();
      },
    },
  );
  return (
    <Dialog
      open={open}
      title="Capture"
      lead={`${formatMoney(charge.amount, currency)} are held. What you do not take now is let go: a hold is captured once.`}
      onClose={onClose}
    >
      <AmountForm
        verb="Capture"
        currency={currency}
        most={charge.amount}
        tooMuch={`At most ${formatMoney(charge.amount, currency)} are held.`}
        busy={capture.pending}
        problem={capture.problem}
        onSend={(amount) => void capture.run(amount)}
        onCancel={onClose}
      />
    </Dialog>
  );
}
