import type { WebhookEndpoint, WebhookResend } from "@florin/contract/webhook-endpoint.ts";
import { useOperation } from "../../api/use-operation.ts";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import type { SelectOption } from "../../components/select-option.ts";
import { showToast } from "../../components/toast.tsx";

const hour = 3_600;
const times: readonly SelectOption[] = [
  [String(hour), "Last hour"],
  [String(24 * hour), "Last 24 hours"],
  [String(7 * 24 * hour), "Last 7 days"],
  [String(30 * 24 * hour), "Last 30 days"],
];

type Props = {
  readonly endpoint: WebhookEndpoint;
  readonly open: boolean;
  readonly onClose: () => void;
};

/**
 * Returns the message if there are no missed deliveries. Pending deliveries of a failing endpoint do not count as
 * missed, because they are still retried.
 */
const nothing = ({ failing_since }: WebhookEndpoint) =>
  failing_since === null
    ? "No missed deliveries."
    : "No failed deliveries. Pending deliveries are retried automatically.";

/** Resends failed deliveries, and the events that occurred while the endpoint was disabled. */
export function ResendMissedDialog({ endpoint, open, onClose }: Props) {
  const resend = useOperation<number, WebhookResend>(
    (api, since, key) => api.post(`/webhook_endpoints/${endpoint.id}/resend`, { since }, key),
    {
      done: ({ resent, has_more }) => {
        const deliveries = resent === 1 ? "1 delivery" : `${resent} deliveries`;
        showToast(
          resent === 0
            ? nothing(endpoint)
            : `${deliveries} queued.${has_more ? " Resend again for the rest." : ""}`,
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
      title="Resend missed deliveries"
      lead="Resends failed deliveries, and events that occurred while the endpoint was disabled. Successful deliveries are not sent again."
      onClose={onClose}
    >
      <Form
        submit="Resend"
        busy={resend.pending}
        problem={resend.problem}
        onSubmit={send}
        onCancel={onClose}
      >
        <SelectField name="since" label="Period" choices={times} />
      </Form>
    </Dialog>
  );
}
