import type { ApiKey } from "@florin/contract/api-key.ts";
import { useOperation } from "../../api/use-operation.ts";
import { Dialog } from "../../components/dialog.tsx";
import { TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { isolateBidi } from "../../components/isolate-bidi.ts";

type Props = { readonly apiKey: ApiKey; readonly open: boolean; readonly onClose: () => void };

export function RenameKeyDialog({ apiKey, open, onClose }: Props) {
  const rename = useOperation<string, ApiKey>(
    (api, name, key) => api.post(`/api_keys/${apiKey.id}`, { name }, key),
    { done: onClose },
  );
  return (
    <Dialog open={open} title={`Rename ${isolateBidi(apiKey.name)}`} onClose={onClose}>
      <Form
        submit="Rename"
        busy={rename.pending}
        problem={rename.problem}
        onSubmit={(form) => void rename.run(textOf(form, "name") ?? "")}
        onCancel={onClose}
      >
        <TextField
          name="name"
          label="Name"
          defaultValue={apiKey.name}
          maxLength={100}
          autoComplete="off"
        />
      </Form>
    </Dialog>
  );
}
