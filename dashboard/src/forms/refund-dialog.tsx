import type { Charge } from "@florin/contract/charge.ts";
import type { Refund, RefundReason } from "@florin/contract/refund.ts";
import { useState } from "react";
import { useAct } from "../api/use-act.ts";
import { formatMoney, moneyText, parseMoney } from "../components/amount.ts";
import { Dialog } from "../components/dialog.tsx";
import { type Choice, SelectField, TextField } from "../components/field.tsx";
import { Form, textOf } from "../components/form.tsx";
import { say } from "../components/toast.tsx";
import { refundable } from "../pages/payments/possible.ts";

const reasons: readonly (readonly [RefundReason | "", string])[] = [
  ["", "No reason given"],
  ["requested_by_customer", "The customer asked for it"],
  ["duplicate", "It was a duplicate"],
  ["fraudulent", "It was a fraud"],
];

type Wanted = { readonly amount: number; readonly reason?: string };

/** Gives money of one payment back: the whole, or a part, with a reason. */
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
  const [fault, setFault] = useState<string | null>(null);
  const refund = useAct<Wanted, Refund>(
    (api, wanted, key) => api.post("/refunds", { charge_id: charge.id, ...wanted }, key),
    {
      done: ({ amount, status }) => {
        const shown = formatMoney(amount, currency);
        say(status === "pending" ? `${shown} are on their way back.` : `${shown} went back.`);
        onClose();
      },
    },
  );
  const send = (form: FormData) => {
    const amount = parseMoney(textOf(form, "amount") ?? "", currency);
    const tooMuch = amount !== null && amount > left;
    if (!amount || tooMuch) {
      setFault(
        tooMuch ? `At most ${formatMoney(left, currency)} are left.` : "An amount, such as 12.50.",
      );
      return;
    }
    setFault(null);
    const reason = textOf(form, "reason");
    void refund.run({ amount, ...(reason && { reason }) });
  };
  return (
    <Dialog
      open={open}
      title="Refund"
      lead={`Up to ${formatMoney(left, currency)} can go back to the card. It cannot be undone.`}
      onClose={onClose}
    >
      <Form
        submit="Refund"
        busy={refund.pending}
        problem={refund.problem}
        onSubmit={send}
        onCancel={onClose}
      >
        <TextField
          name="amount"
          label={`Amount in ${currency.toUpperCase()}`}
          defaultValue={moneyText(left, currency)}
          inputMode="decimal"
          autoComplete="off"
          fault={fault}
        />
        <SelectField name="reason" label="Reason" choices={reasons as readonly Choice[]} />
      </Form>
    </Dialog>
  );
}
