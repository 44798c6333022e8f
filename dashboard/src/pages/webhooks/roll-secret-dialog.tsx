import type {
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from "@florin/contract/webhook-endpoint.ts";
import { useState } from "react";
import { useOperation } from "../../api/use-operation.ts";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import type { SelectOption } from "../../components/select-option.ts";
import { SecretShownOnce } from "./secret-shown-once.tsx";

const overlaps: readonly SelectOption[] = [
  ["86400", "In 24 hours, so that you can update your servers first"],
  ["3600", "In 1 hour"],
  ["604800", "In 7 days"],
  ["0", "Immediately, because it has leaked"],
];

type Props = {
  readonly endpoint: WebhookEndpoint;
  readonly open: boolean;
  readonly onClose: () => void;
};

/**
 * Replaces the signing secret. Until the old secret expires, each delivery is signed with both, so that servers can be
 * updated without rejecting deliveries.
 */
export function RollSecretDialog({ endpoint, open, onClose }: Props) {
  const [secret, setSecret] = useState<string | null>(null);
  const roll = useOperation<number, WebhookEndpointWithSecret>(
    (api, expires_in, key) =>
      api.post(`/webhook_endpoints/${endpoint.id}/roll_secret`, { expires_in }, key),
    { done: (rolled) => setSecret(rolled.secret) },
  );
  const close = () => {
    setSecret(null);
    roll.reset();
    onClose();
  };
  return (
    <Dialog
      open={open}
      title={secret ? "Save the new signing secret" : "Roll the signing secret"}
      onClose={close}
    >
      {secret ? (
        <SecretShownOnce secret={secret} onDone={close} />
      ) : (
        <Form
          submit="Roll secret"
          busy={roll.pending}
          problem={roll.problem}
          onSubmit={(form) => void roll.run(Number(textOf(form, "expires_in")))}
          onCancel={close}
        >
          <SelectField
            name="expires_in"
            label="Old secret expires"
            choices={overlaps}
            hint="Until then, each delivery is signed with both secrets. If you roll again before then, the old secret expires immediately."
          />
        </Form>
      )}
    </Dialog>
  );
}
