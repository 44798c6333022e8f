import type { Role } from "@florin/contract/roles.ts";
import type { Member } from "@florin/contract/team.ts";
import { useState } from "react";
import { useMay, useMayChangeShared, useMe } from "../../api/me.ts";
import { useAct } from "../../api/use-act.ts";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { ActionsMenu, MenuItem } from "../../components/menu.tsx";
import { say } from "../../components/toast.tsx";
import { ConfirmDialog } from "../../forms/confirm-dialog.tsx";
import { roleChoices } from "./role-choices.ts";

type Props = { readonly member: Member; readonly own: Role };

/** The operations on one member that the viewer's role allows. */
export function MemberMenu({ member, own }: Props) {
  const may = useMay();
  const me = useMe();
  const open = useMayChangeShared();
  const [doing, setDoing] = useState<"role" | "remove" | null>(null);
  const close = () => setDoing(null);
  const remove = useAct<void, unknown>((api) => api.delete(`/members/${member.id}`), {
    done: () => {
      say(`${member.name} is not in the team any more.`);
      close();
    },
  });
  const isMe = member.person_id === me.id;
  if (!open || !may("team:write") || (member.role === "owner" && own !== "owner")) return null;
  return (
    <>
      <ActionsMenu of={member.name}>
        <MenuItem onSelect={() => setDoing("role")}>Change role</MenuItem>
        {!isMe && (
          <MenuItem danger onSelect={() => setDoing("remove")}>
            Remove
          </MenuItem>
        )}
      </ActionsMenu>
      <RoleDialog {...{ member, own }} open={doing === "role"} onClose={close} />
      <ConfirmDialog
        open={doing === "remove"}
        title={`Remove ${member.name}`}
        lead="They see nothing of this account any more. API keys that they made stay as they are."
        submit="Remove"
        act={remove}
        onClose={close}
      />
    </>
  );
}

function RoleDialog({
  member,
  own,
  open,
  onClose,
}: Props & { readonly open: boolean; readonly onClose: () => void }) {
  const change = useAct<Role, Member>(
    (api, role, key) => api.post(`/members/${member.id}`, { role }, key),
    { done: onClose },
  );
  return (
    <Dialog open={open} title={`The role of ${member.name}`} onClose={onClose}>
      <Form
        submit="Change"
        busy={change.pending}
        problem={change.problem}
        onSubmit={(form) => void change.run(form.get("role") as Role)}
        onCancel={onClose}
      >
        <SelectField
          name="role"
          label="Role"
          choices={roleChoices(own)}
          defaultValue={member.role}
        />
      </Form>
    </Dialog>
  );
}
