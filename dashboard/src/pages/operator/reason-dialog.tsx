import { useAdminOperation } from "../../api/admin.ts";
import type { Weight } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { TextArea } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { showDoneToast } from "./done-toast.ts";

export type ReasonWords = {
  readonly button: string;
  readonly title: string;
  readonly lead: string;
  readonly done: string;
  readonly weight: Weight;
  /** The label of the reason. */
  readonly label?: string;
  readonly hint?: string;
};

/** The hint for an operation on an account. */
export const accountLogHint =
  "The reason is recorded in the audit log, which the merchant can read.";

/** The hint for an operation that concerns no account. */
export const serviceLogHint = "The reason is recorded in the audit log of the service.";

/**
 * A dialog to confirm an operation and to enter a reason, which is stored permanently. `params` are the other
 * parameters of the request.
 */
export function ReasonDialog({
  path,
  words,
  params,
  onClose,
}: {
  path: string;
  words: ReasonWords;
  params?: object;
  onClose: () => void;
}) {
  const operation = useAdminOperation<object>(path, {
    done(response) {
      showDoneToast(response, words.done);
      onClose();
    },
  });
  return (
    <Dialog open title={words.title} lead={words.lead} onClose={onClose}>
      <Form
        submit={words.button}
        weight={words.weight}
        busy={operation.pending}
        problem={operation.problem}
        onSubmit={(form) => void operation.run({ ...params, reason: textOf(form, "reason") })}
        onCancel={onClose}
      >
        <TextArea
          name="reason"
          label={words.label ?? "Reason"}
          hint={words.hint ?? accountLogHint}
        />
      </Form>
    </Dialog>
  );
}
