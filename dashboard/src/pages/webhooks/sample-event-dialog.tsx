import type { Event, EventType } from "@florin/contract/event.ts";
import type { WebhookEndpoint } from "@florin/contract/webhook-endpoint.ts";
import { useOperation } from "../../api/use-operation.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Field, fieldStyle } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { showToast } from "../../components/toast.tsx";
import { eventGroups } from "./event-groups.ts";

type Props = {
  readonly endpoint: WebhookEndpoint;
  readonly open: boolean;
  readonly onClose: () => void;
};

/** Sends an example of an event to the endpoint, in test mode. */
export function SampleEventDialog({ endpoint, open, onClose }: Props) {
  const send = useOperation<EventType, Event>(
    (api, type, key) => api.post(`/webhook_endpoints/${endpoint.id}/sample_event`, { type }, key),
    {
      done({ type }) {
        onClose();
        showToast(`Sample of ${type} sent.`);
      },
    },
  );
  return (
    <Dialog
      open={open}
      title="Send sample event"
      lead="Sends an example to this endpoint only, signed like a real event and marked with “sample”: true. Its object does not exist."
      onClose={onClose}
    >
      <Form
        submit="Send event"
        busy={send.pending}
        problem={send.problem}
        onCancel={onClose}
        onSubmit={(form) => void send.run(textOf(form, "type") as EventType)}
      >
        <Field name="type" label="Event type">
          {(ariaProps) => (
            <select
              {...ariaProps}
              defaultValue="payment.succeeded"
              className={`${fieldStyle} h-9 pr-8`}
            >
              {eventGroups.map(({ label, types }) => (
                <optgroup key={label} label={label}>
                  {types.map((type) => (
                    <option key={type}>{type}</option>
                  ))}
                </optgroup>
              ))}
            </select>
          )}
        </Field>
      </Form>
    </Dialog>
  );
}
