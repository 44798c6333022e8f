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
};

/** Confirms an operation with a reason, which is stored permanently. */
export function ReasonDialog({
  path,
  words,
  onClose,
}: {
  path: string;
  words: ReasonWords;
  onClose: () => void;
}) {
  const act = useAdminOperation<{ reason: string | undefined }>(path, {
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
        busy={act.pending}
        problem={act.problem}
        onSubmit={(form) => void act.run({ reason: textOf(form, "reason") })}
        onCancel={onClose}
      >
        <TextArea
          name="reason"
          label="Reason"
          hint="Recorded in the audit log, which the merchant can read."
        />
      </Form>
    </Dialog>
  );
}
