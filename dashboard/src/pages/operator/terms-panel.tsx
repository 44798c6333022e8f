import type {
  DefaultTerms,
  OperatorAccount,
  Terms,
  TermsAmounts,
} from "@florin/contract/operator.ts";
import { useState } from "react";
import { useAdminOperation } from "../../api/admin.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { TextArea, TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { Panel } from "../../components/panel.tsx";
import { showDoneToast } from "./done-toast.ts";
import { shownAmounts, shownRateLimit } from "./format-terms.ts";
import { limitsText, readLimits } from "./limits-text.ts";
import { accountLogHint } from "./reason-dialog.tsx";

type AmountKind = keyof TermsAmounts;

const amountKinds = [
  { name: "fixed_fee", label: "Fixed fee" },
  { name: "dispute_fee", label: "Dispute fee" },
  { name: "min_charge", label: "Minimum charge" },
  { name: "max_charge", label: "Maximum charge" },
  { name: "min_payout", label: "Minimum payout" },
  { name: "max_payout", label: "Maximum payout" },
] as const satisfies readonly { name: AmountKind; label: string }[];

/** Returns the account's own amounts of one kind, by currency. */
function amountsOf({ amounts }: Terms, kind: AmountKind): Record<string, number> {
  const own: Record<string, number> = {};
  for (const [currency, set] of Object.entries(amounts)) {
    const amount = set[kind];
    if (amount !== undefined) own[currency] = amount;
  }
  return own;
}

/** Returns the amounts in the form. Text that is not an amount is sent as typed, so that the service rejects it. */
function readAmounts(form: FormData) {
  const amounts: Record<string, Partial<Record<AmountKind, number | string>>> = {};
  for (const { name } of amountKinds) {
    for (const [currency, amount] of Object.entries(
      readLimits(textOf(form, `terms.${name}`) ?? ""),
    )) {
      amounts[currency] = { ...amounts[currency], [name]: amount };
    }
  }
  return amounts;
}

/** The fees and limits of the account. */
export function TermsPanel({
  account,
  defaults,
}: {
  account: OperatorAccount;
  defaults: DefaultTerms;
}) {
  const [open, setOpen] = useState(false);
  const { terms, status } = account;
  return (
    <Panel
      title="Terms"
      actions={
        status !== "closed" && (
          <Button small onClick={() => setOpen(true)}>
            Change terms
          </Button>
        )
      }
    >
      <KeyValues
        items={[
          ["Fee per payment", `${terms.fee_basis_points / 100}% plus the fixed fee`],
          ...amountKinds.map(
            ({ name, label }) => [label, shownAmounts(terms, defaults, name)] as const,
          ),
          ["Rate limit", shownRateLimit(terms, defaults)],
        ]}
      />
      {open && <ChangeTerms account={account} onClose={() => setOpen(false)} />}
    </Panel>
  );
}

function ChangeTerms({ account, onClose }: { account: OperatorAccount; onClose: () => void }) {
  const { terms } = account;
  const operation = useAdminOperation<object>(`/accounts/${account.id}/terms`, {
    done(response) {
      showDoneToast(response, "Terms updated.");
      onClose();
    },
  });
  const submit = (form: FormData) => {
    const number = (name: keyof Terms) => {
      const text = textOf(form, `terms.${name}`);
      return text !== undefined && /^\d+$/.test(text) ? Number(text) : text;
    };
    void operation.run({
      terms: {
        fee_basis_points: number("fee_basis_points"),
        requests_per_second: number("requests_per_second") ?? null,
        amounts: readAmounts(form),
      },
      reason: textOf(form, "reason"),
    });
  };
  return (
    <Dialog
      open
      title="Change terms"
      lead="New terms apply to new payments within a second. Existing payments keep their fees."
      onClose={onClose}
    >
      <Form
        submit="Change terms"
        busy={operation.pending}
        problem={operation.problem}
        onSubmit={submit}
        onCancel={onClose}
      >
        <TextField
          name="terms.fee_basis_points"
          label="Fee in basis points"
          inputMode="numeric"
          defaultValue={terms.fee_basis_points}
        />
        <TextField
          name="terms.requests_per_second"
          label="Requests per second (optional)"
          hint="Applies to each mode separately. Leave empty to use the service default."
          inputMode="numeric"
          defaultValue={terms.requests_per_second ?? undefined}
        />
        {amountKinds.map(({ name, label }) => (
          <TextField
            key={name}
            name={`terms.${name}`}
            label={`${label} (optional)`}
            hint="By currency, such as USD 5000.00, EUR 4000.00. Other currencies use the default."
            defaultValue={limitsText(amountsOf(terms, name))}
          />
        ))}
        <TextArea name="reason" label="Reason" hint={accountLogHint} />
      </Form>
    </Dialog>
  );
}
