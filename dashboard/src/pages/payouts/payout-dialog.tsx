import type { Balance, Payout } from "@florin/contract/balance.ts";
import { useState } from "react";
import { useOperation } from "../../api/use-operation.ts";
import { containsCode, formatMoney } from "../../components/amount.ts";
import { AmountForm } from "../../components/amount-form.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField, TextField } from "../../components/field.tsx";
import { textOf } from "../../components/form.tsx";
import { showToast } from "../../components/toast.tsx";

type Wanted = { readonly amount: number; readonly currency: string; readonly description?: string };

/** Pays out the available balance, in full or in part, to the merchant's bank account. */
export function PayoutDialog({
  available,
  onClose,
}: {
  available: Balance["available"];
  onClose: () => void;
}) {
  const [currency, setCurrency] = useState(available[0]?.currency ?? "usd");
  const max = available.find((one) => one.currency === currency)?.amount ?? 0;
  const payout = useOperation<Wanted, Payout>(
    (api, params, key) => api.post("/payouts", params, key),
    {
      done: ({ amount }) => {
        showToast(`Payout of ${formatMoney(amount, currency)} created.`);
        onClose();
      },
    },
  );
  const send = (amount: number, form: FormData) => {
    const description = textOf(form, "description");
    void payout.run({ amount, currency, ...(description && { description }) });
  };
  return (
    <Dialog
      open
      title="Pay out"
      lead={`Available: ${formatMoney(max, currency)}${containsCode(currency) ? "" : ` ${currency.toUpperCase()}`}. A payout takes about a day to arrive.`}
      onClose={onClose}
    >
      <AmountForm
        verb="Pay out"
        currency={currency}
        max={max}
        tooMuch={`You can pay out at most ${formatMoney(max, currency)}.`}
        busy={payout.pending}
        problem={payout.problem}
        onSend={send}
        onCancel={onClose}
        before={
          available.length > 1 && (
            <SelectField
              name="currency"
              label="Currency"
              value={currency}
              onChange={(event) => setCurrency(event.currentTarget.value)}
              choices={available.map((one) => [one.currency, one.currency.toUpperCase()])}
            />
          )
        }
      >
        <TextField name="description" label="Description (optional)" autoComplete="off" />
      </AmountForm>
    </Dialog>
  );
}
