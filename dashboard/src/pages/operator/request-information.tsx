import { useState } from "react";
import { useAdminOperation } from "../../api/admin.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField, TextArea } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { showToast } from "../../components/toast.tsx";
import { parts } from "../going-live/application-steps.ts";

/** Requests information from the merchant. Each request concerns one section of the application. */
export function RequestInformation({
  path,
  version,
  onClose,
}: {
  path: string;
  version: number;
  onClose: () => void;
}) {
  const [count, setCount] = useState(1);
  const operation = useAdminOperation<object>(`${path}/request_information`, {
    done() {
      showToast("Information requested.");
      onClose();
    },
  });
  const indexes = Array.from({ length: count }, (_, index) => index);
  const submit = (form: FormData) =>
    void operation.run({
      version,
      requests: indexes.map((index) => ({
        section: textOf(form, `requests[${index}].section`),
        message: textOf(form, `requests[${index}].message`),
      })),
    });
  return (
    <Dialog
      open
      title="Request information"
      lead="The merchant sees each request next to the section that it concerns, and can edit the application until they submit it again."
      onClose={onClose}
    >
      <Form
        submit="Send request"
        busy={operation.pending}
        problem={operation.problem}
        onSubmit={submit}
        onCancel={onClose}
      >
        {indexes.map((index) => (
          <fieldset key={index} className="grid gap-3">
            <legend className="sr-only">Request {index + 1}</legend>
            <SelectField name={`requests[${index}].section`} label="Section" choices={parts} />
            <TextArea name={`requests[${index}].message`} label="Message" rows={3} />
          </fieldset>
        ))}
        {count < 10 && (
          <p>
            <Button small weight="quiet" onClick={() => setCount(count + 1)}>
              Add request
            </Button>
          </p>
        )}
      </Form>
    </Dialog>
  );
}
