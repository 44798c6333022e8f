import type { ApiKey } from "@florin/contract/api-key.ts";
import { useState } from "react";
import { useMay } from "../../api/me.ts";
import { useOperation } from "../../api/use-operation.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { ActionsMenu, MenuItem } from "../../components/menu.tsx";
import { say } from "../../components/toast.tsx";
import { RenameKeyDialog } from "./rename-key-dialog.tsx";
import { RollKeyDialog } from "./roll-key-dialog.tsx";

type Props = { readonly apiKey: ApiKey; readonly onSecret: (secret: string) => void };

/** The operations on one key. */
export function KeyMenu({ apiKey, onSecret }: Props) {
  const may = useMay();
  const [doing, setDoing] = useState<"rename" | "roll" | "revoke" | null>(null);
  const close = () => setDoing(null);
  const revoke = useOperation<void, ApiKey>(
    (api, _none, key) => api.post(`/api_keys/${apiKey.id}/revoke`, {}, key),
    {
      done: () => {
        say(`${apiKey.name} revoked.`);
        close();
      },
    },
  );
  if (!may("keys:write") || apiKey.status !== "active") return null;
  return (
    <>
      <ActionsMenu of={apiKey.name}>
        <MenuItem onSelect={() => setDoing("rename")}>Rename</MenuItem>
        <MenuItem onSelect={() => setDoing("roll")}>Roll</MenuItem>
        <MenuItem danger onSelect={() => setDoing("revoke")}>
          Revoke
        </MenuItem>
      </ActionsMenu>
      <RenameKeyDialog apiKey={apiKey} open={doing === "rename"} onClose={close} />
      <RollKeyDialog
        apiKey={apiKey}
        open={doing === "roll"}
        onClose={close}
        onRolled={(secret) => {
          close();
          onSecret(secret);
        }}
      />
      <ConfirmDialog
        open={doing === "revoke"}
        title={`Revoke ${apiKey.name}`}
        lead={`Requests with ${apiKey.beginning}…${apiKey.last4} are rejected within a second. This cannot be undone.`}
        submit="Revoke key"
        act={revoke}
        onClose={close}
      />
    </>
  );
}
