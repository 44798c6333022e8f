import type { WebhookEndpoint } from "@florin/contract/webhook-endpoint.ts";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAddress } from "../../api/here.ts";
import { useAct } from "../../api/use-act.ts";
import { Button } from "../../components/button.tsx";
import { say } from "../../components/toast.tsx";
import { ConfirmDialog } from "../../forms/confirm-dialog.tsx";
import { EndpointDialog } from "../../forms/endpoint-dialog.tsx";
import { RollSecretDialog } from "../../forms/roll-secret-dialog.tsx";

type Open = "edit" | "roll" | "delete" | null;

export function EndpointActions({ endpoint }: { endpoint: WebhookEndpoint }) {
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const address = useAddress();
  const navigate = useNavigate();
  const path = `/webhook_endpoints/${endpoint.id}`;
  const off = endpoint.status === "disabled";
  const toggle = useAct<void, WebhookEndpoint>(
    (api, _none, key) => api.post(path, { status: off ? "enabled" : "disabled" }, key),
    { done: ({ status }) => say(status === "enabled" ? "It is on again." : "It is off.") },
  );
  const ping = useAct<void, unknown>((api, _none, key) => api.post(`${path}/ping`, {}, key), {
    done: () => say("A ping is on its way."),
  });
  const remove = useAct<void, unknown>((api) => api.delete(path), {
    done: () => {
      say("The endpoint is deleted.");
      void navigate({ to: address("/webhooks") });
    },
  });
  return (
    <>
      <Button
        busy={ping.pending}
        unavailable={off ? "It is off: nothing is sent to it." : null}
        onClick={() => void ping.run()}
      >
        Ping
      </Button>
      <Button onClick={() => setOpen("edit")}>Edit</Button>
      <Button onClick={() => setOpen("roll")}>Roll secret</Button>
      <Button busy={toggle.pending} onClick={() => void toggle.run()}>
        {off ? "Switch on" : "Switch off"}
      </Button>
      <Button weight="danger" onClick={() => setOpen("delete")}>
        Delete
      </Button>
      <EndpointDialog endpoint={endpoint} open={open === "edit"} onClose={close} />
      <RollSecretDialog endpoint={endpoint} open={open === "roll"} onClose={close} />
      <ConfirmDialog
        open={open === "delete"}
        title="Delete the endpoint"
        lead="Nothing is sent to it any more, not even what is on its way. Its secret is gone for good."
        submit="Delete"
        act={remove}
        onClose={close}
      />
    </>
  );
}
