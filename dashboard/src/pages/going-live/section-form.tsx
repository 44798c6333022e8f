import type { ApplicationState, SectionName } from "@florin/contract/application.ts";
import type { ReactNode } from "react";
import { useOperation } from "../../api/use-operation.ts";
import { Form } from "../../components/form.tsx";
import { showToast } from "../../components/toast.tsx";

type Props = {
  readonly section: SectionName;
  /** Returns the content of the section to save. */
  readonly contentOf: (form: FormData) => object;
  readonly onSaved: () => void;
  readonly children: ReactNode;
};

/** The form of one section of the application, with the button that saves it. */
export function SectionForm({ section, contentOf, onSaved, children }: Props) {
  const operation = useOperation<object, ApplicationState>(
    (api, content, key) => api.post(`/application/${section}`, content, key),
    {
      done() {
        showToast("Saved.");
        onSaved();
      },
    },
  );
  return (
    <Form
      submit="Save and continue"
      busy={operation.pending}
      problem={operation.problem}
      onSubmit={(form) => void operation.run(contentOf(form))}
    >
      {children}
    </Form>
  );
}
