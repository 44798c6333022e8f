import type { Role } from "@florin/contract/roles.ts";
import type { Member } from "@florin/contract/team.ts";
import { useState } from "react";
import { useMay, useMayChangeShared, useMe } from "../../api/signed-in-person.ts";
import { useOperation } from "../../api/use-operation.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { isolateBidi } from "../../components/isolate-bidi.ts";
import { ActionsMenu, MenuItem } from "../../components/menu.tsx";
import { showToast } from "../../components/toast.tsx";
import { roleChoices } from "./role-choices.ts";

type Props = { readonly member: Member; readonly own: Role };

/** The operations on one member that the viewer's role allows. */
export function MemberMenu({ member, own }: Props) {
  const may = useMay();
  const me = useMe();
  const open = useMayChangeShared();
  const [openDialog, setOpenDialog] = useState<"role" | "remove" | null>(null);
  const close = () => setOpenDialog(null);
  const remove = useOperation<void, unknown>((api) => api.delete(`/members/${member.id}`), {
    done: () => {
      showToast(`${isolateBidi(member.name)} removed from the team.`);
      close();
    },
  });
  const isMe = member.person_id === me.id;
  if (!open || !may("team:write") || (member.role === "owner" && own !== "owner")) return null;
  return (
    <>
      <ActionsMenu of={member.name}>
        <MenuItem onSelect={() => setOpenDialog("role")}>Change role</MenuItem>
        {!isMe && (
          <MenuItem danger onSelect={() => setOpenDialog("remove")}>
            Remove
          </MenuItem>
        )}
      </ActionsMenu>
      <RoleDialog {...{ member, own }} open={openDialog === "role"} onClose={close} />
      <ConfirmDialog
        open={openDialog === "remove"}
        title={`Remove ${isolateBidi(member.name)}`}
        lead="They lose access to this account. API keys that they created stay active."
        submit="Remove"
        operation={remove}
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
  const change = useOperation<Role, Member>(
    (api, role, key) => api.post(`/members/${member.id}`, { role }, key),
    { done: onClose },
  );
  return (
    <Dialog open={open} title={`Change role of ${isolateBidi(member.name)}`} onClose={onClose}>
      <Form
        submit="Change role"
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
