import type { Assignment, Connection } from "@florin/contract/operator-connections.ts";
import { useAdminOperation } from "../../api/admin.ts";
import { Dialog } from "../../components/dialog.tsx";
import { TextArea, TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { showDoneToast } from "./done-toast.ts";
import { serviceLogHint } from "./reason-dialog.tsx";

/** Assigns an account to the connection, or changes an assignment. */
export function AssignmentDialog({
  connection,
  assignment,
  onClose,
}: {
  connection: Connection;
  assignment: Assignment | null;
  onClose: () => void;
}) {
  const operation = useAdminOperation<object>(
    assignment ? `/assignments/${assignment.id}` : "/assignments",
    {
      method: assignment ? "PATCH" : "POST",
      done(response) {
        showDoneToast(response, assignment ? "Assignment changed." : "Account assigned.");
        onClose();
      },
    },
  );
  const submit = (form: FormData) => {
    const priority = textOf(form, "priority");
    void operation.run({
      ...(assignment
        ? { version: assignment.version }
        : {
            connection: connection.id,
            account: textOf(form, "account"),
            merchant_account: textOf(form, "merchant_account"),
          }),
      mcc: textOf(form, "mcc"),
      descriptor: textOf(form, "descriptor") ?? null,
      acquirer_bin: textOf(form, "acquirer_bin") ?? null,
      currencies: listOf(textOf(form, "currencies")?.toLowerCase()),
      networks: listOf(textOf(form, "networks")?.toLowerCase()),
      countries: listOf(textOf(form, "countries")?.toUpperCase()),
      priority: priority !== undefined && /^\d+$/.test(priority) ? Number(priority) : priority,
      reason: textOf(form, "reason"),
    });
  };
  return (
    <Dialog
      open
      title={assignment ? "Change assignment" : "Assign account"}
      lead="Live charges for this account use this connection. If the account has several connections, the one with the lowest priority number is tried first."
      onClose={onClose}
    >
      <Form
        submit={assignment ? "Change" : "Assign"}
        busy={operation.pending}
        problem={operation.problem}
        onSubmit={submit}
        onCancel={onClose}
      >
        {!assignment && (
          <TextField
            name="account"
            label="Account"
            hint="The account ID, which begins with acct_."
          />
        )}
        {!assignment && (
          <TextField
            name="merchant_account"
            label="Merchant account"
            hint="You cannot change the merchant account later, because refunds require it."
            defaultValue={connection.settings.merchant_account}
          />
        )}
        <TextField
          name="mcc"
          label="Merchant category code"
          hint="Four digits (ISO 18245)."
          inputMode="numeric"
          defaultValue={assignment?.mcc}
        />
        <TextField
          name="descriptor"
          label="Statement descriptor (optional)"
          hint="Shown on the cardholder’s bank statement. Up to 22 characters. Leave empty to use the merchant account’s descriptor."
          defaultValue={assignment?.descriptor ?? undefined}
        />
        <TextField
          name="acquirer_bin"
          label="Acquirer BIN (optional)"
          hint="For 3-D Secure, 6 to 11 digits."
          inputMode="numeric"
          defaultValue={assignment?.acquirer_bin ?? undefined}
        />
        <TextField
          name="currencies"
          label="Currencies (optional)"
          hint="For example, EUR, USD. Leave empty to allow all currencies that the connection supports."
          defaultValue={assignment?.currencies?.join(", ")}
        />
        <TextField
          name="networks"
          label="Card networks (optional)"
          hint="For example, visa, mastercard. Leave empty to allow all card networks that the connection supports."
          defaultValue={assignment?.networks?.join(", ")}
        />
        <TextField
          name="countries"
          label="Issuer countries (optional)"
          hint="For example, DE, FR. Leave empty to allow all countries."
          defaultValue={assignment?.countries?.join(", ")}
        />
        <TextField
          name="priority"
          label="Priority"
          inputMode="numeric"
          defaultValue={assignment?.priority ?? 100}
        />
        <TextArea name="reason" label="Reason" hint={serviceLogHint} />
      </Form>
    </Dialog>
  );
}

/** Returns the words of a list that are separated by commas or spaces, or null for an empty text. */
function listOf(text: string | undefined): string[] | null {
  return text === undefined ? null : text.split(/[\s,]+/).filter((word) => word !== "");
}
