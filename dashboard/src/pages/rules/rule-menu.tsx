import type { Rule } from "@florin/contract/rule.ts";
import { useState } from "react";
import { useOperation } from "../../api/use-operation.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { ActionsMenu, MenuItem } from "../../components/menu.tsx";
import { showToast } from "../../components/toast.tsx";
import { RuleDialog } from "./rule-dialog.tsx";

/** The operations on one rule. */
export function RuleMenu({ rule }: { rule: Rule }) {
  const { id, expression, status } = rule;
  const [openDialog, setOpenDialog] = useState<"edit" | "delete" | null>(null);
  const close = () => setOpenDialog(null);
  const next = status === "enabled" ? "disabled" : "enabled";
  const toggle = useOperation<void, Rule>(
    (api, _, key) => api.post(`/rules/${id}`, { status: next }, key),
    {
      done: (turned) => showToast(turned.status === "enabled" ? "Rule enabled." : "Rule disabled."),
    },
  );
  const remove = useOperation<void, unknown>((api) => api.delete(`/rules/${id}`), {
    done: () => {
      showToast("Rule deleted.");
      close();
    },
  });
  return (
    <>
      <ActionsMenu of={expression}>
        <MenuItem onSelect={() => void toggle.run()}>
          {next === "enabled" ? "Enable" : "Disable"}
        </MenuItem>
        <MenuItem onSelect={() => setOpenDialog("edit")}>Edit</MenuItem>
        <MenuItem danger onSelect={() => setOpenDialog("delete")}>
          Delete
        </MenuItem>
      </ActionsMenu>
      {openDialog === "edit" && <RuleDialog rule={rule} onClose={close} />}
      <ConfirmDialog
        open={openDialog === "delete"}
        title="Delete rule"
        lead={<code className="font-mono text-sm wrap-anywhere">{expression}</code>}
        submit="Delete"
        operation={remove}
        onClose={close}
      />
    </>
  );
}
