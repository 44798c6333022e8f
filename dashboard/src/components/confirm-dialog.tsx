import type { ReactNode } from "react";
import type { Operation } from "../api/use-operation.ts";
import { Dialog } from "./dialog.tsx";
import { Form } from "./form.tsx";

type Props<Result> = {
  readonly open: boolean;
  readonly title: string;
  /** The consequences, above all those that are permanent. */
  readonly lead: ReactNode;
  readonly submit: string;
  readonly danger?: boolean;
  readonly act: Operation<void, Result>;
  readonly onClose: () => void;
};

/** A confirmation with its consequences, for operations without further input. */
export function ConfirmDialog<Result>(props: Props<Result>) {
  const { open, title, lead, submit, danger = true, act, onClose } = props;
  return (
    <Dialog open={open} title={title} lead={lead} onClose={onClose}>
      <Form
        submit={submit}
        weight={danger ? "danger" : "primary"}
        busy={act.pending}
        problem={act.problem}
        onSubmit={() => void act.run()}
        onCancel={onClose}
      >
        {null}
      </Form>
    </Dialog>
  );
}
