import type { Charge } from "@florin/contract/charge.ts";
import { useState } from "react";
import { useMay } from "../../api/me.ts";
import { useOperation } from "../../api/use-operation.ts";
import { formatMoney } from "../../components/amount.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { showToast } from "../../components/toast.tsx";
import { CaptureDialog } from "./capture-dialog.tsx";
import { possibleOperations } from "./possible-operations.ts";
import { RefundDialog } from "./refund-dialog.tsx";

/** The operations on a payment. A disabled button shows the reason. */
export function PaymentActions({ charge }: { charge: Charge }) {
  const [open, setOpen] = useState<"refund" | "capture" | "cancel" | null>(null);
  const may = useMay();
  const close = () => setOpen(null);
  const { capture, cancel, refund } = possibleOperations(charge, Date.now() / 1000);
  const holds = charge.capture_method === "manual";
  const canceling = useOperation<void, Charge>(
    (api, _none, key) => api.post(`/charges/${charge.id}/cancel`, {}, key),
    {
      done: ({ pending_reason }) => {
        showToast(
          pending_reason
            ? "The acquirer has not responded yet. The status updates automatically."
            : "Authorization canceled.",
        );
        close();
      },
    },
  );
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
        lead={`Releases the authorized ${formatMoney(charge.amount, charge.currency)}. The customer is not charged, and the payment can no longer be captured.`}
        submit="Cancel payment"
        operation={canceling}
        onClose={close}
      />
    </>
  );
}
