import type { ApiKey, ApiKeyWithSecret } from "@florin/contract/api-key.ts";
import { useOperation } from "../../api/use-operation.ts";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { isolateBidi } from "../../components/isolate-bidi.ts";
import type { SelectOption } from "../../components/select-option.ts";

const overlaps: readonly SelectOption[] = [
  ["0", "Immediately, because it may be compromised"],
  ["3600", "In 1 hour"],
  ["86400", "In 24 hours"],
  ["604800", "In 7 days"],
];

type Props = {
  readonly apiKey: ApiKey;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onRolled: (secret: string) => void;
};

/** Replaces a key with a new one. The old key stays valid for a chosen period, so that servers can be updated first. */
export function RollKeyDialog({ apiKey, open, onClose, onRolled }: Props) {
  const roll = useOperation<number, ApiKeyWithSecret>(
    (api, expires_in, key) => api.post(`/api_keys/${apiKey.id}/roll`, { expires_in }, key),
    { done: ({ secret }) => onRolled(secret) },
  );
  return (
    <Dialog
      open={open}
      title={`Roll ${isolateBidi(apiKey.name)}`}
      lead="Creates a new key with the same name and permissions. Both keys work until the old key expires."
      onClose={onClose}
    >
      <Form
        submit="Roll key"
        busy={roll.pending}
        problem={roll.problem}
        onSubmit={(form) => void roll.run(Number(form.get("expires_in")))}
        onCancel={onClose}
      >
        <SelectField
          name="expires_in"
          label="Old key expires"
          choices={overlaps}
          defaultValue="86400"
        />
      </Form>
    </Dialog>
  );
}
