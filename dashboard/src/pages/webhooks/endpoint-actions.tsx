import type { WebhookEndpoint } from "@florin/contract/webhook-endpoint.ts";
import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { useScopedPath } from "../../api/use-api.ts";
import { useOperation } from "../../api/use-operation.ts";
import { Button, buttonStyle } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Menu, MenuItem, MenuLine } from "../../components/menu.tsx";
import { showToast } from "../../components/toast.tsx";
import { EndpointDialog } from "./endpoint-dialog.tsx";
import { RollSecretDialog } from "./roll-secret-dialog.tsx";
import { SampleEventDialog } from "./sample-event-dialog.tsx";

type Open = "sample" | "edit" | "roll" | "delete" | null;

/**
 * The actions on an endpoint. The primary button depends on the status: `Enable` for a disabled endpoint, `Send ping`
 * for any other. The menu contains the rarer actions.
 */
export function EndpointActions({ endpoint }: { endpoint: WebhookEndpoint }) {
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const address = useScopedPath();
  const path = `/webhook_endpoints/${endpoint.id}`;
  const off = endpoint.status === "disabled";
  const toggle = useOperation<void, WebhookEndpoint>(
    (api, _none, key) => api.post(path, { status: off ? "enabled" : "disabled" }, key),
    {
      done: ({ status }) =>
        showToast(status === "enabled" ? "Endpoint enabled." : "Endpoint disabled."),
    },
  );
  const ping = useOperation<void, unknown>((api, _none, key) => api.post(`${path}/ping`, {}, key), {
    done: () => showToast("Ping sent."),
  });
  const remove = useOperation<void, unknown>((api) => api.delete(path), {
    done: () => showToast("Endpoint deleted."),
    next: address("/webhooks"),
  });
  return (
    <>
      <Menu
        trigger={
          <button type="button" className={buttonStyle()} aria-label="More actions">
            <Ellipsis aria-hidden="true" className="size-4" />
          </button>
        }
      >
        {!off && !endpoint.livemode && (
          <MenuItem onSelect={() => setOpen("sample")}>Send sample event</MenuItem>
        )}
        <MenuItem onSelect={() => setOpen("roll")}>Roll secret</MenuItem>
        {!off && <MenuItem onSelect={() => void toggle.run()}>Disable</MenuItem>}
        <MenuLine />
        <MenuItem danger onSelect={() => setOpen("delete")}>
          Delete
        </MenuItem>
      </Menu>
      <Button onClick={() => setOpen("edit")}>Edit</Button>
      {off ? (
        <Button weight="primary" busy={toggle.pending} onClick={() => void toggle.run()}>
          Enable
        </Button>
      ) : (
        <Button weight="primary" busy={ping.pending} onClick={() => void ping.run()}>
          Send ping
        </Button>
      )}
      <SampleEventDialog endpoint={endpoint} open={open === "sample"} onClose={close} />
      <EndpointDialog endpoint={endpoint} open={open === "edit"} onClose={close} />
      <RollSecretDialog endpoint={endpoint} open={open === "roll"} onClose={close} />
      <ConfirmDialog
        open={open === "delete"}
        title="Delete endpoint"
        lead="Stops all deliveries to this endpoint, including pending deliveries. Its signing secret is deleted permanently."
        submit="Delete"
        operation={remove}
        onClose={close}
      />
    </>
  );
}
