import type { WebhookEndpoint, WebhookResend } from "@florin/contract/webhook-endpoint.ts";
import { useAct } from "../api/use-act.ts";
import { Dialog } from "../components/dialog.tsx";
import { type Choice, SelectField } from "../components/field.tsx";
import { Form, textOf } from "../components/form.tsx";
import { say } from "../components/toast.tsx";

const hour = 3_600;
const times: readonly Choice[] = [
  [String(hour), "The last hour"],
  [String(24 * hour), "The last day"],
  [String(7 * 24 * hour), "The last week"],
  [String(30 * 24 * hour), "The last 30 days, all that is kept"],
];

type Props = {
  readonly endpoint: WebhookEndpoint;
  readonly open: boolean;
  readonly onClose: () => void;
};

/** Deliveries that are still retried for a failing endpoint do not count as missed. */
const nothing = ({ failing_since }: WebhookEndpoint) =>
  failing_since === null
    ? "Nothing was missed."
    : "Nothing was given up yet: what waits is sent again by itself.";

/** Resends failed deliveries and the events from the time when the endpoint was off. */
export function ResendMissedDialog({ endpoint, open, onClose }: Props) {
  const resend = useAct<number, WebhookResend>(
    (api, since, key) => api.post(`/webhook_endpoints/${endpoint.id}/resend`, { since }, key),
    {
      done: ({ resent, has_more }) => {
        const many = resent === 1 ? "One delivery is" : `${resent} deliveries are`;
        say(
          resent === 0
            ? nothing(endpoint)
            : `${many} on the way.${has_more ? " There are more." : ""}`,
        );
        onClose();
      },
    },
  );
  const send = (form: FormData) => {
    const ago = Number(textOf(form, "since"));
    void resend.run(Math.floor(Date.now() / 1000) - ago);
  };
  return (
    <Dialog
      open={open}
      title="Resend what it missed"
      lead="Deliveries that were given up, and events that happened while the endpoint was off. What it has received is not sent again."
      onClose={onClose}
    >
      <Form
        submit="Resend"
        busy={resend.pending}
        problem={resend.problem}
        onSubmit={send}
        onCancel={onClose}
      >
        <SelectField name="since" label="Since when" choices={times} />
      </Form>
    </Dialog>
  );
}
