import type {
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from "@florin/contract/webhook-endpoint.ts";
import { useState } from "react";
import { useAct } from "../api/use-act.ts";
import { Dialog } from "../components/dialog.tsx";
import { type Choice, SelectField } from "../components/field.tsx";
import { Form, textOf } from "../components/form.tsx";
import { SecretShownOnce } from "../pages/webhooks/secret-shown-once.tsx";

const overlaps: readonly Choice[] = [
  ["86400", "A day: time to bring the new one to your servers"],
  ["3600", "An hour"],
  ["604800", "A week"],
  ["0", "Not at all: it has leaked"],
];

type Props = {
  readonly endpoint: WebhookEndpoint;
  readonly open: boolean;
  readonly onClose: () => void;
};

/**
 * Rolls the signing secret. For a period both secrets sign each message, so that no event is lost during the change.
 */
export function RollSecretDialog({ endpoint, open, onClose }: Props) {
  const [secret, setSecret] = useState<string | null>(null);
  const roll = useAct<number, WebhookEndpointWithSecret>(
    (api, expires_in, key) =>
      api.post(`/webhook_endpoints/${endpoint.id}/roll_secret`, { expires_in }, key),
    { done: (rolled) => setSecret(rolled.secret) },
  );
  const close = () => {
    setSecret(null);
    roll.forget();
    onClose();
  };
  return (
    <Dialog open={open} title={secret ? "Keep the new secret" : "Roll the secret"} onClose={close}>
      {secret ? (
        <SecretShownOnce secret={secret} onDone={close} />
      ) : (
        <Form
          submit="Roll"
          busy={roll.pending}
          problem={roll.problem}
          onSubmit={(form) => void roll.run(Number(textOf(form, "expires_in")))}
          onCancel={close}
        >
          <SelectField
            name="expires_in"
            label="How long the old one signs along"
            choices={overlaps}
            hint="Until then each message carries both signatures."
          />
        </Form>
      )}
    </Dialog>
  );
}
