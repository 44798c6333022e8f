import type { Charge } from "@florin/contract/charge.ts";
import { useState } from "react";
import { useAct } from "../api/use-act.ts";
import { formatMoney, moneyText, parseMoney } from "../components/amount.ts";
import { Dialog } from "../components/dialog.tsx";
import { TextField } from "../components/field.tsx";
import { Form, textOf } from "../components/form.tsx";
import { say } from "../components/toast.tsx";

/** Takes money that is held: the whole, or a part, and then the rest is let go. */
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
  const [fault, setFault] = useState<string | null>(null);
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
  const send = (form: FormData) => {
    const amount = parseMoney(textOf(form, "amount") ?? "", currency);
    if (!amount || amount > charge.amount) {
      setFault(`An amount up to ${formatMoney(charge.amount, currency)}.`);
      return;
    }
    setFault(null);
    void capture.run(amount);
  };
  return (
    <Dialog
      open={open}
      title="Capture"
      lead={`${formatMoney(charge.amount, currency)} are held. What you do not take now is let go: a hold is captured once.`}
      onClose={onClose}
    >
      <Form
        submit="Capture"
        busy={capture.pending}
        problem={capture.problem}
        onSubmit={send}
        onCancel={onClose}
      >
        <TextField
          name="amount"
          label={`Amount in ${currency.toUpperCase()}`}
          defaultValue={moneyText(charge.amount, currency)}
          inputMode="decimal"
          autoComplete="off"
          fault={fault}
        />
      </Form>
    </Dialog>
  );
}
