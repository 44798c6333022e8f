import type { OperatorAccount, Terms } from "@florin/contract/operator.ts";
import { useState } from "react";
import { useDeskAct } from "../../api/desk.ts";
import { formatMoney } from "../../components/amount.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { TextArea, TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { Panel } from "../../components/panel.tsx";
import { limitsText, readLimits } from "./limits-text.ts";
import { sayDone } from "./say-done.ts";

/** What the account pays, and what it may do. */
export function TermsPanel({ account }: { account: OperatorAccount }) {
  const [open, setOpen] = useState(false);
  const { terms, status } = account;
  const limits = Object.entries(terms.largest_charges);
  return (
    <Panel
      title="Terms"
      actions={
        status !== "closed" && (
          <Button small onClick={() => setOpen(true)}>
            Change
          </Button>
        )
      }
    >
      <KeyValues
        facts={[
          [
            "A payment costs",
            `${terms.fee_basis_points / 100} %, and ${terms.fee_fixed} in its smallest unit`,
          ],
          ["A dispute costs", `${terms.dispute_fee} in its smallest unit`],
          [
            "Requests",
            terms.requests_per_second === null
              ? "as the service's setting says"
              : `${terms.requests_per_second} a second in each mode`,
          ],
          [
            "Largest charge",
            limits.length === 0
              ? "no limit of its own"
              : limits.map(([currency, amount]) => formatMoney(amount, currency)).join(", "),
          ],
        ]}
      />
      {open && <ChangeTerms account={account} onClose={() => setOpen(false)} />}
    </Panel>
  );
}

function ChangeTerms({ account, onClose }: { account: OperatorAccount; onClose: () => void }) {
  const { terms } = account;
  const act = useDeskAct<object>(`/accounts/${account.id}/terms`, {
    done(answer) {
      sayDone(answer, "The terms were changed.");
      onClose();
    },
  });
  const submit = (form: FormData) => {
    const number = (name: keyof Terms) => {
      const text = textOf(form, `terms.${name}`);
      return text !== undefined && /^\d+$/.test(text) ? Number(text) : text;
    };
    void act.run({
      terms: {
        fee_basis_points: number("fee_basis_points"),
        fee_fixed: number("fee_fixed"),
        dispute_fee: number("dispute_fee"),
        requests_per_second: number("requests_per_second") ?? null,
        largest_charges: readLimits(textOf(form, "terms.largest_charges") ?? ""),
      },
      reason: textOf(form, "reason"),
    });
  };
  return (
    <Dialog
      open
      title="Change the terms"
      lead="They hold for payments from the next second on; what was charged before keeps its price."
      onClose={onClose}
    >
      <Form
        submit="Change terms"
        busy={act.pending}
        problem={act.problem}
        onSubmit={submit}
        onCancel={onClose}
      >
        <div className="fields-abreast">
          <TextField
            name="terms.fee_basis_points"
            label="Fee, in hundredths of a percent"
            inputMode="numeric"
            defaultValue={terms.fee_basis_points}
          />
          <TextField
            name="terms.fee_fixed"
            label="And a fixed part"
            hint="In the smallest unit: 30 are 30 cents."
            inputMode="numeric"
            defaultValue={terms.fee_fixed}
          />
        </div>
        <TextField
          name="terms.dispute_fee"
          label="A dispute costs"
          hint="In the smallest unit."
          inputMode="numeric"
          defaultValue={terms.dispute_fee}
        />
        <TextField
          name="terms.requests_per_second"
          label="Requests a second (optional)"
          hint="In each mode. Left empty: as the service's setting says."
          inputMode="numeric"
          defaultValue={terms.requests_per_second ?? undefined}
        />
        <TextField
          name="terms.largest_charges"
          label="Largest charges (optional)"
          hint="By currency, such as: USD 5000.00, EUR 4000.00. It holds in both modes."
          defaultValue={limitsText(terms.largest_charges)}
        />
        <TextArea
          name="reason"
          label="Why"
          hint="Kept in the audit log, which the merchant can read."
        />
      </Form>
    </Dialog>
  );
}
