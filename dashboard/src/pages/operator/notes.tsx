import { useState } from "react";
import { useAdminOperation } from "../../api/admin.ts";
import { TextArea } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";

/** Adds a note to an application, which becomes part of its history. */
export function Notes({ account }: { account: string }) {
  const [written, setWritten] = useState(0);
  const act = useAdminOperation<{ text: string | undefined }>(
    `/accounts/${account}/application/notes`,
    {
      done: () => setWritten(written + 1),
    },
  );
  return (
    <Form
      key={written}
      submit="Add note"
      weight="plain"
      busy={act.pending}
      problem={act.problem}
      onSubmit={(form) => void act.run({ text: textOf(form, "text") })}
    >
      <TextArea name="text" label="Note" rows={3} />
    </Form>
  );
}
