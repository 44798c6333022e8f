import type { Reconciliation } from "@florin/contract/reconciliation.ts";
import { useOperation } from "../../api/use-operation.ts";
import { Dialog } from "../../components/dialog.tsx";
import { TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { formatDate } from "../../components/format-date.ts";
import { showToast } from "../../components/toast.tsx";

/** Compares a day with the acquirer's settlement file. A day can be reconciled again. */
export function ReconcileDialog({ onClose }: { onClose: () => void }) {
  const today = new Date().toISOString().slice(0, 10);
  const reconcile = useOperation<string, Reconciliation>(
    (api, day, key) => api.post("/reconciliations", { day }, key),
    {
      done: ({ day, status }) => {
        const date = formatDate(day);
        showToast(status === "balanced" ? `${date} is balanced.` : `${date} is reconciled.`);
        onClose();
      },
    },
  );
  return (
    <Dialog
      open
      title="Reconcile day"
      lead="Compares the acquirer’s settlement file of the day with your payments, ledger entries and events. You can reconcile a day as often as you like."
      onClose={onClose}
    >
      <Form
        submit="Reconcile"
        busy={reconcile.pending}
        problem={reconcile.problem}
        onSubmit={(form) => void reconcile.run(textOf(form, "day") ?? "")}
        onCancel={onClose}
      >
        <TextField
          name="day"
          label="Date (UTC)"
          type="date"
          max={today}
          defaultValue={today}
          hint="For today, only the amounts settled so far are compared."
        />
      </Form>
    </Dialog>
  );
}
