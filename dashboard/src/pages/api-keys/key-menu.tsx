import type { ApiKey } from "@florin/contract/api-key.ts";
import { useState } from "react";
import { useMay } from "../../api/signed-in-person.ts";
import { useOperation } from "../../api/use-operation.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { isolateBidi } from "../../components/isolate-bidi.ts";
import { ActionsMenu, MenuItem } from "../../components/menu.tsx";
import { showToast } from "../../components/toast.tsx";
import { RenameKeyDialog } from "./rename-key-dialog.tsx";
import { RollKeyDialog } from "./roll-key-dialog.tsx";

type Props = { readonly apiKey: ApiKey; readonly onSecret: (secret: string) => void };

/** The operations on one key. */
export function KeyMenu({ apiKey, onSecret }: Props) {
  const may = useMay();
  const [openDialog, setOpenDialog] = useState<"rename" | "roll" | "revoke" | null>(null);
  const close = () => setOpenDialog(null);
  const revoke = useOperation<void, ApiKey>(
    (api, _none, key) => api.post(`/api_keys/${apiKey.id}/revoke`, {}, key),
    {
      done: () => {
        showToast(`${isolateBidi(apiKey.name)} revoked.`);
        close();
      },
    },
  );
  if (!may("keys:write") || apiKey.status !== "active") return null;
  return (
    <>
      <ActionsMenu of={apiKey.name}>
        <MenuItem onSelect={() => setOpenDialog("rename")}>Rename</MenuItem>
        <MenuItem onSelect={() => setOpenDialog("roll")}>Roll</MenuItem>
        <MenuItem danger onSelect={() => setOpenDialog("revoke")}>
          Revoke
        </MenuItem>
      </ActionsMenu>
      <RenameKeyDialog apiKey={apiKey} open={openDialog === "rename"} onClose={close} />
      <RollKeyDialog
        apiKey={apiKey}
        open={openDialog === "roll"}
        onClose={close}
        onRolled={(secret) => {
          close();
          onSecret(secret);
        }}
      />
      <ConfirmDialog
        open={openDialog === "revoke"}
        title={`Revoke ${isolateBidi(apiKey.name)}`}
        lead={`Within a second, all requests with ${apiKey.beginning}…${apiKey.last4} are rejected. This cannot be undone.`}
        submit="Revoke key"
        operation={revoke}
        onClose={close}
      />
    </>
  );
}
