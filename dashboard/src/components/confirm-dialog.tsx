import type { ReactNode } from "react";
import type { Operation } from "../api/use-operation.ts";
import { Dialog } from "./dialog.tsx";
import { Form } from "./form.tsx";

type Props<Result> = {
  readonly open: boolean;
  readonly title: string;
  /** The consequences of the operation, especially the permanent ones. */
  readonly lead: ReactNode;
  readonly submit: string;
  readonly danger?: boolean;
  readonly operation: Operation<void, Result>;
  readonly onClose: () => void;
};

/** A dialog to confirm an operation that needs no further input. It shows the consequences first. */
export function ConfirmDialog<Result>(props: Props<Result>) {
  const { open, title, lead, submit, danger = true, operation, onClose } = props;
  return (
    <Dialog open={open} title={title} lead={lead} onClose={onClose}>
      <Form
        submit={submit}
        weight={danger ? "danger" : "primary"}
        busy={operation.pending}
        problem={operation.problem}
        onSubmit={() => void operation.run()}
        onCancel={onClose}
      >
        {null}
      </Form>
    </Dialog>
  );
}
