import type { Charge } from "@florin/contract/charge.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useOperation } from "../../api/use-operation.ts";
import { useUrlDialog } from "../../api/use-url-dialog.ts";
import { formatMoney } from "../../components/amount.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { showToast } from "../../components/toast.tsx";
import { CaptureDialog } from "./capture-dialog.tsx";
import { RefundDialog } from "./refund-dialog.tsx";
import { unavailableReasons } from "./unavailable-reasons.ts";

/** The operations on a payment. A disabled button shows the reason as a tooltip. */
export function PaymentActions({ charge }: { charge: Charge }) {
  const may = useMay();
  const { capture, cancel, refund } = unavailableReasons(charge, Date.now() / 1000);
  // A link can name an operation that is not possible, or for which the person has no permission.
  const isPossible = {
    refund: refund === null && may("refunds:write"),
    capture: capture === null && may("payments:write"),
    cancel: cancel === null && may("payments:write"),
  };
  const [open, setOpen] = useUrlDialog(
    ["refund", "capture", "cancel"] as const,
    (name) => isPossible[name],
  );
  const close = () => setOpen(null);
  const holds = charge.capture_method === "manual";
  const canceling = useOperation<void, Charge>(
    (api, _none, key) => api.post(`/charges/${charge.id}/cancel`, {}, key),
    {
      done: ({ pending_reason }) => {
        showToast(
          pending_reason
            ? "The acquirer has not responded yet. The status updates automatically."
            : "Payment canceled.",
        );
        close();
      },
    },
  );
  // A failed payment no longer allows any operation, so the page shows the reason instead of disabled buttons.
  if (charge.status === "failed") {
    return <p className="text-sm text-ink-soft">Not refundable. {refund}</p>;
  }
  return (
    <>
      {holds && may("payments:write") && (
        <>
          <Button weight="primary" unavailable={capture} onClick={() => setOpen("capture")}>
            Capture
          </Button>
          <Button unavailable={cancel} onClick={() => setOpen("cancel")}>
            Cancel
          </Button>
        </>
      )}
      {may("refunds:write") && (
        <Button unavailable={refund} onClick={() => setOpen("refund")}>
          Refund
        </Button>
      )}
      <RefundDialog charge={charge} open={open === "refund"} onClose={close} />
      <CaptureDialog charge={charge} open={open === "capture"} onClose={close} />
      <ConfirmDialog
        open={open === "cancel"}
        title="Cancel payment"
        lead={`The customer is not charged ${formatMoney(charge.amount, charge.currency)}, and the payment can no longer be captured. An existing authorization is released.`}
        submit="Cancel payment"
        operation={canceling}
        onClose={close}
      />
    </>
  );
}
