import type { EventType } from "@florin/contract/event.ts";
import type {
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from "@florin/contract/webhook-endpoint.ts";
import { useState } from "react";
import { changedFields } from "../../api/changed-fields.ts";
import { type Operation, useOperation } from "../../api/use-operation.ts";
import { Dialog } from "../../components/dialog.tsx";
import { CheckField, TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { showToast } from "../../components/toast.tsx";
import { eventGroups } from "./event-groups.ts";
import { SecretShownOnce } from "./secret-shown-once.tsx";

type EndpointParams = {
  readonly url?: string;
  readonly description?: string | null;
  readonly enabled_events?: readonly (EventType | "*")[];
};

type SavedEndpoint = WebhookEndpoint | WebhookEndpointWithSecret;

type Props = {
  /** The endpoint to edit. Null for a new endpoint. */
  readonly endpoint: WebhookEndpoint | null;
  readonly onClose: () => void;
};

/** Creates or edits an endpoint. After creation, shows the signing secret, which is visible only once. */
export function EndpointDialog({ endpoint, open, onClose }: Props & { readonly open: boolean }) {
  const [secret, setSecret] = useState<string | null>(null);
  const path = endpoint ? `/webhook_endpoints/${endpoint.id}` : "/webhook_endpoints";
  const keep = useOperation<EndpointParams, SavedEndpoint>(
    (api, params, key) => api.post(path, params, key),
    {
      done: (saved) => {
        if ("secret" in saved) return setSecret(saved.secret);
        showToast("Endpoint updated.");
        onClose();
      },
    },
  );
  const close = () => {
    setSecret(null);
    keep.reset();
    onClose();
  };
  if (secret) {
    return (
      <Dialog open={open} title="Save the signing secret" onClose={close}>
        <SecretShownOnce secret={secret} onDone={close} />
      </Dialog>
    );
  }
  return (
    <Dialog open={open} title={endpoint ? "Edit endpoint" : "Add endpoint"} onClose={close}>
      <EndpointForm {...{ endpoint, keep }} onClose={close} />
    </Dialog>
  );
}

function EndpointForm({
  endpoint,
  keep,
  onClose,
}: Props & { readonly keep: Operation<EndpointParams, SavedEndpoint> }) {
  // The endpoint when the dialog was opened.
  const [shown] = useState(endpoint);
  const [all, setAll] = useState(!shown || shown.enabled_events.includes("*"));
  const [fault, setFault] = useState<string | null>(null);
  const send = (form: FormData) => {
    const chosen = form.getAll("enabled_events") as EventType[];
    const none = !all && chosen.length === 0;
    setFault(none ? "Select at least one event." : null);
    if (none) return;
    const url = textOf(form, "url") ?? "";
    const description = textOf(form, "description");
    const enabled_events = all ? (["*"] as const) : chosen;
    void keep.run(
      shown
        ? changedFields({ url, description: description ?? null, enabled_events }, shown)
        : { url, ...(description && { description }), enabled_events },
    );
  };
  return (
    <Form
      submit={shown ? "Save" : "Add"}
      busy={keep.pending}
      problem={keep.problem}
      fault={fault}
      onSubmit={send}
      onCancel={onClose}
    >
      <TextField
        name="url"
        label="Endpoint URL"
        type="url"
        placeholder="https://shop.example/webhooks"
        defaultValue={shown?.url ?? ""}
        autoComplete="off"
      />
      <TextField
        name="description"
        label="Description (optional)"
        defaultValue={shown?.description ?? ""}
        autoComplete="off"
      />
      <fieldset className="grid gap-3">
        <legend className="mb-1.5 text-sm font-medium">Events</legend>
        <CheckField
          name="all"
          label="All events"
          hint="Includes event types that are added later."
          checked={all}
          onChange={(event) => setAll(event.currentTarget.checked)}
        />
        {!all &&
          eventGroups.map(({ label, types }) => (
            <div key={label} className="grid gap-1.5">
              <p className="text-sm text-ink-soft">{label}</p>
              {types.map((type) => (
                <CheckField
                  key={type}
                  name="enabled_events"
                  value={type}
                  label={type}
                  defaultChecked={shown?.enabled_events.includes(type) ?? false}
                />
              ))}
            </div>
          ))}
      </fieldset>
    </Form>
  );
}
