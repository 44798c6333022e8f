import type { ApiKeyWithSecret, CreateApiKey } from "@florin/contract/api-key.ts";
import { useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { useOperation } from "../../api/use-operation.ts";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField, TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { type Levels, type Preset, permissionsOf, presetOf, presets } from "./key-access.ts";
import { KeyAccessTable } from "./key-access-table.tsx";

type Props = {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onCreated: (secret: string) => void;
};

const choices = [
  ["full", "Full access"],
  ...Object.entries(presets).map(([name, { label }]) => [name, label] as const),
] as const;

/** Creates a key with a name and permissions. */
export function CreateKeyDialog({ open, onClose, onCreated }: Props) {
  const { scope } = useApi();
  /** The levels of a restricted key. Null for full access. */
  const [levels, setLevels] = useState<Levels | null>(null);
  const [fault, setFault] = useState(false);
  const create = useOperation<CreateApiKey, ApiKeyWithSecret>(
    (api, params, key) => api.post("/api_keys", params, key),
    {
      done: ({ secret }) => {
        setLevels(null);
        onCreated(secret);
      },
    },
  );
  const send = (form: FormData) => {
    const permissions = levels && permissionsOf(levels);
    const isEmpty = permissions?.length === 0;
    setFault(isEmpty);
    if (isEmpty) return;
    const name = textOf(form, "name") ?? "";
    void create.run({ name, ...(permissions && { permissions }) });
  };
  const choose = (name: string) => {
    setFault(false);
    if (name === "full") return setLevels(null);
    // "Custom" starts with the levels of the selected preset.
    setLevels(name === "custom" ? (levels ?? {}) : presets[name as Preset].levels);
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
        fault={fault ? "Grant access to at least one resource." : null}
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
        <SelectField
          name="access"
          label="Access"
          hint={
            levels
              ? "A restricted key starts with rk_. You can change each permission below."
              : "Everything except what only people may do, such as managing API keys and the team."
          }
          value={levels ? presetOf(levels) : "full"}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
          choices={choices}
        />
        {levels && (
          <KeyAccessTable
            levels={levels}
            onChange={(name, level) => setLevels({ ...levels, [name]: level })}
          />
        )}
      </Form>
    </Dialog>
  );
}
