import { type ReactNode, useRef, useState } from "react";
import type { ApiProblem } from "../api/problem.ts";
import { formatMoney, moneyText } from "./amount.ts";
import { TextField } from "./field.tsx";
import { Form } from "./form.tsx";
import { faultOfAmount, parseMoney } from "./parse-amount.ts";

type Props = {
  /** The verb of the operation, such as `Refund`. The button shows it with the parsed amount. */
  readonly verb: string;
  readonly currency: string;
  readonly max: number;
  readonly tooMuch: string;
  readonly busy: boolean;
  readonly problem: ApiProblem | null;
  readonly onSend: (amount: number, form: FormData) => void;
  readonly onCancel: () => void;
  readonly before?: ReactNode;
  readonly children?: ReactNode;
};

/**
 * A form for an amount up to `max`, such as a partial refund. The button shows the parsed amount before the person
 * submits.
 */
export function AmountForm({
  verb,
  currency,
  max,
  tooMuch,
  busy,
  problem,
  onSend,
  onCancel,
  before,
  children,
}: Props) {
  const [typed, setTyped] = useState({ currency, text: moneyText(max, currency) });
  const field = useRef<HTMLInputElement>(null);
  const text = typed.currency === currency ? typed.text : moneyText(max, currency);
  const amount = parseMoney(text, currency);
  const fault = faultOfAmount(text, currency) ?? (amount !== null && amount > max ? tooMuch : null);
  // The error appears on submit, and disappears as soon as the amount is valid.
  const [submitted, setSubmitted] = useState(false);
  const send = (form: FormData) => {
    setSubmitted(fault !== null);
    if (fault !== null) field.current?.focus();
    else if (amount !== null) onSend(amount, form);
  };
  return (
    <Form
      submit={amount ? `${verb} ${formatMoney(amount, currency)}` : verb}
      busy={busy}
      problem={problem}
      onSubmit={send}
      onCancel={onCancel}
    >
      {before}
      <TextField
        ref={field}
        name="amount"
        label={`Amount in ${currency.toUpperCase()}`}
        value={text}
        onChange={(event) => setTyped({ currency, text: event.currentTarget.value })}
        inputMode="decimal"
        autoComplete="off"
        fault={submitted ? fault : null}
      />
      {children}
    </Form>
  );
}
