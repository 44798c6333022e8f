import type { Balance, Payout } from "@florin/contract/balance.ts";
import { useState } from "react";
import { useAct } from "../api/use-act.ts";
import { formatMoney, moneyText, parseMoney } from "../components/amount.ts";
import { Dialog } from "../components/dialog.tsx";
import { SelectField, TextField } from "../components/field.tsx";
import { Form, textOf } from "../components/form.tsx";
import { say } from "../components/toast.tsx";

type Wanted = { readonly amount: number; readonly currency: string; readonly description?: string };

/** Sends what is available, or a part of it, to the merchant's bank account. */
export function PayoutDialog({
  available,
  onClose,
}: {
  available: Balance["available"];
  onClose: () => void;
}) {
  const [currency, setCurrency] = useState(available[0]?.currency ?? "usd");
  const [fault, setFault] = useState<string | null>(null);
  const most = available.find((one) => one.currency === currency)?.amount ?? 0;
  const payout = useAct<Wanted, Payout>((api, wanted, key) => api.post("/payouts", wanted, key), {
    done: ({ amount }) => {
      say(`${formatMoney(amount, currency)} are on their way to your bank.`);
      onClose();
    },
  });
  const send = (form: FormData) => {
    const amount = parseMoney(textOf(form, "amount") ?? "", currency);
    if (!amount || amount > most) {
      setFault(
        amount
          ? `At most ${formatMoney(most, currency)} are available.`
          : "An amount, such as 250.00.",
      );
      return;
    }
    setFault(null);
    const description = textOf(form, "description");
    void payout.run({ amount, currency, ...(description && { description }) });
  };
  return (
    <Dialog
      open
      title="Pay out"
      lead={`${formatMoney(most, currency)} are available in ${currency.toUpperCase()}. A transfer takes about a day.`}
      onClose={onClose}
    >
      <Form
        submit="Pay out"
        busy={payout.pending}
        problem={payout.problem}
        onSubmit={send}
        onCancel={onClose}
      >
        {available.length > 1 && (
          <SelectField
            name="currency"
            label="Currency"
            value={currency}
            onChange={(event) => setCurrency(event.currentTarget.value)}
            choices={available.map((one) => [one.currency, one.currency.toUpperCase()])}
          />
        )}
        <TextField
          key={currency}
          name="amount"
          label="Amount"
          inputMode="decimal"
          defaultValue={moneyText(most, currency)}
          fault={fault}
          autoComplete="off"
        />
        <TextField name="description" label="Your own words for it" autoComplete="off" />
      </Form>
    </Dialog>
  );
}
