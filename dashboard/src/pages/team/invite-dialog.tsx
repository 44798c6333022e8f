import type { Role } from "@florin/contract/roles.ts";
import type { CreateInvitation, Invitation } from "@florin/contract/team.ts";
import { useOperation } from "../../api/use-operation.ts";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField, TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { showToast } from "../../components/toast.tsx";
import { roleChoices } from "./role-choices.ts";

type Props = { readonly own: Role; readonly open: boolean; readonly onClose: () => void };

export function InviteDialog({ own, open, onClose }: Props) {
  const invite = useOperation<CreateInvitation, Invitation>(
    (api, params, key) => api.post("/invitations", params, key),
    {
      done: ({ email }) => {
        showToast(`Invitation sent to ${email}. It is valid for 7 days.`);
        onClose();
      },
    },
  );
  return (
    <Dialog
      open={open}
      title="Invite member"
      lead="They receive an email with a link to join."
      onClose={onClose}
    >
      <Form
        submit="Send invitation"
        busy={invite.pending}
        problem={invite.problem}
        onSubmit={(form) =>
          void invite.run({
            email: textOf(form, "email") ?? "",
            role: form.get("role") as Role,
          })
        }
        onCancel={onClose}
      >
        <TextField name="email" label="Email address" type="email" autoComplete="off" />
        <SelectField name="role" label="Role" choices={roleChoices(own)} defaultValue="support" />
      </Form>
    </Dialog>
  );
}
