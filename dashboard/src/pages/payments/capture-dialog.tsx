import type { Charge } from "@florin/contract/charge.ts";
import { useOperation } from "../../api/use-operation.ts";
import { formatMoney } from "../../components/amount.ts";
import { AmountForm } from "../../components/amount-form.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { showToast } from "../../components/toast.tsx";

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
  const capture = useOperation<number, Charge>(
    (api, amount, key) => api.post(`/charges/${charge.id}/capture`, { amount }, key),
    {
      done: ({ amount_captured, pending_reason }) => {
        showToast(
          pending_reason
            ? "The acquirer has not responded yet. The status updates automatically."
            : `${formatMoney(amount_captured, currency)} captured.`,
        );
        onClose();
      },
    },
  );
  return (
    <Dialog
      open={open}
      title="Capture payment"
      lead={`You can capture up to ${formatMoney(charge.amount, currency)}, and only once. The rest is released.`}
      onClose={onClose}
    >
      <AmountForm
        verb="Capture"
        currency={currency}
        max={charge.amount}
        tooMuch={`You can capture at most ${formatMoney(charge.amount, currency)}.`}
        busy={capture.pending}
        problem={capture.problem}
        onSend={(amount) => void capture.run(amount)}
        onCancel={onClose}
      />
    </Dialog>
  );
}
