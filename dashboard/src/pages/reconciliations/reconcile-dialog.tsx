import type { Reconciliation } from "@florin/contract/reconciliation.ts";
import { useApi } from "../../api/use-api.ts";
import { useOperation } from "../../api/use-operation.ts";
import { Dialog } from "../../components/dialog.tsx";
import { TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { showToast } from "../../components/toast.tsx";

/** Compares a day with the acquirer's settlement file. A day can be reconciled again. */
export function ReconcileDialog({ onClose }: { onClose: () => void }) {
  const { scope } = useApi();
  const latest = dayBefore(scope.mode === "test" ? 0 : 1);
  const reconcile = useOperation<string, Reconciliation>(
    (api, day, key) => api.post("/reconciliations", { day }, key),
    {
      done: ({ day, status }) => {
        showToast(status === "balanced" ? `${day} is balanced.` : `${day} reconciled.`);
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
          max={latest}
          defaultValue={latest}
          hint={
            scope.mode === "test"
              ? "In test mode you can also reconcile today, with the amounts settled so far."
              : null
          }
        />
      </Form>
    </Dialog>
  );
}

function dayBefore(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}
