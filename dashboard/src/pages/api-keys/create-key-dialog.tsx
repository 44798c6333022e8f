import type { ApiKeyWithSecret, CreateApiKey } from "@florin/contract/api-key.ts";
import { keyPermissions, permissions } from "@florin/contract/permissions.ts";
import { useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { useOperation } from "../../api/use-operation.ts";
import { Dialog } from "../../components/dialog.tsx";
import { CheckField, TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";

type Props = {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onCreated: (secret: string) => void;
};

/** Creates a key with a name and permissions. */
export function CreateKeyDialog({ open, onClose, onCreated }: Props) {
  const { scope } = useApi();
  const [restricted, setRestricted] = useState(false);
  const [fault, setFault] = useState(false);
  const create = useOperation<CreateApiKey, ApiKeyWithSecret>(
    (api, params, key) => api.post("/api_keys", params, key),
    {
      done: ({ secret }) => {
        setRestricted(false);
        onCreated(secret);
      },
    },
  );
  const send = (form: FormData) => {
    const chosen = form.getAll("permissions") as NonNullable<CreateApiKey["permissions"]>;
    setFault(restricted && chosen.length === 0);
    if (restricted && chosen.length === 0) return;
    const name = textOf(form, "name") ?? "";
    void create.run({ name, ...(restricted && { permissions: chosen }) });
  };
  return (
    <Dialog
      open={open}
      title={`Create ${scope.mode} key`}
      lead="The key is shown once, after you create it."
      onClose={onClose}
    >
      <Form
        submit="Create key"
        busy={create.pending}
        problem={create.problem}
        onSubmit={send}
        onCancel={onClose}
      >
        <TextField
          name="name"
          label="Name"
          hint="For example, the server that uses it."
          maxLength={100}
          autoComplete="off"
        />
        <CheckField
          name="restricted"
          label="Restrict permissions"
          hint="Limits the key to the permissions you select. Restricted keys start with rk_."
          checked={restricted}
          onChange={(event) => setRestricted(event.currentTarget.checked)}
        />
        {restricted && (
          <fieldset className="grid max-h-72 gap-2.5 overflow-y-auto rounded-md border border-line p-3.5">
            <legend className="px-1 text-sm font-medium">Permissions</legend>
            {keyPermissions.map((permission) => (
              <CheckField
                key={permission}
                name="permissions"
                value={permission}
                label={permission}
                hint={permissions[permission]}
              />
            ))}
          </fieldset>
        )}
        {fault && (
          <p role="alert" className="text-sm text-negative">
            Select at least one permission.
          </p>
        )}
      </Form>
    </Dialog>
  );
}
