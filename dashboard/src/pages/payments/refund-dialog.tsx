import type { Charge } from "@florin/contract/charge.ts";
import type { Refund, RefundReason } from "@florin/contract/refund.ts";
import { useOperation } from "../../api/use-operation.ts";
import { formatMoney } from "../../components/amount.ts";
import { AmountForm } from "../../components/amount-form.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField } from "../../components/field.tsx";
import { textOf } from "../../components/form.tsx";
import type { SelectOption } from "../../components/select-option.ts";
import { showToast } from "../../components/toast.tsx";
import { refundable } from "./unavailable-reasons.ts";

const reasons: readonly (readonly [RefundReason | "", string])[] = [
  ["", "No reason"],
  ["requested_by_customer", "Requested by customer"],
  ["duplicate", "Duplicate"],
  ["fraudulent", "Fraudulent"],
];

type Wanted = { readonly amount: number; readonly reason?: string };

/** Refunds one payment in full or in part, with a reason. */
export function RefundDialog({
  charge,
  open,
  onClose,
}: {
  charge: Charge;
  open: boolean;
  onClose: () => void;
}) {
  const left = refundable(charge);
  const { currency } = charge;
  const refund = useOperation<Wanted, Refund>(
    (api, params, key) => api.post("/refunds", { charge_id: charge.id, ...params }, key),
    {
      done: ({ amount, status }) => {
        const shown = formatMoney(amount, currency);
        showToast(status === "pending" ? `Refund of ${shown} is pending.` : `${shown} refunded.`);
        onClose();
      },
    },
  );
  const send = (amount: number, form: FormData) => {
    const reason = textOf(form, "reason");
    void refund.run({ amount, ...(reason && { reason }) });
  };
  return (
    <Dialog
      open={open}
      title="Refund payment"
      lead={`You can refund up to ${formatMoney(left, currency)}. A refund cannot be undone.`}
      onClose={onClose}
    >
      <AmountForm
        verb="Refund"
        currency={currency}
        max={left}
        tooMuch={`You can refund at most ${formatMoney(left, currency)}.`}
        busy={refund.pending}
        problem={refund.problem}
        onSend={send}
        onCancel={onClose}
      >
        <SelectField name="reason" label="Reason" choices={reasons as readonly SelectOption[]} />
      </AmountForm>
    </Dialog>
  );
}
