import type { Rule } from "@florin/contract/rule.ts";
import { useState } from "react";
import { useOperation } from "../../api/use-operation.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { ActionsMenu, MenuItem } from "../../components/menu.tsx";
import { say } from "../../components/toast.tsx";
import { RuleDialog } from "./rule-dialog.tsx";

/** The operations on one rule. */
export function RuleMenu({ rule }: { rule: Rule }) {
  const { id, expression, status } = rule;
  const [doing, setDoing] = useState<"edit" | "delete" | null>(null);
  const close = () => setDoing(null);
  const next = status === "enabled" ? "disabled" : "enabled";
  const turn = useOperation<void, Rule>(
    (api, _, key) => api.post(`/rules/${id}`, { status: next }, key),
    {
      done: (turned) => say(turned.status === "enabled" ? "Rule enabled." : "Rule disabled."),
    },
  );
  const remove = useOperation<void, unknown>((api) => api.delete(`/rules/${id}`), {
    done: () => {
      say("Rule deleted.");
      close();
    },
  });
  return (
    <>
      <ActionsMenu of={expression}>
        <MenuItem onSelect={() => void turn.run()}>
          {next === "enabled" ? "Enable" : "Disable"}
        </MenuItem>
        <MenuItem onSelect={() => setDoing("edit")}>Edit</MenuItem>
        <MenuItem danger onSelect={() => setDoing("delete")}>
          Delete
        </MenuItem>
      </ActionsMenu>
      {doing === "edit" && <RuleDialog rule={rule} onClose={close} />}
      <ConfirmDialog
        open={doing === "delete"}
        title="Delete rule"
        lead={<code className="font-mono text-sm wrap-anywhere">{expression}</code>}
        submit="Delete"
        act={remove}
        onClose={close}
      />
    </>
  );
}
