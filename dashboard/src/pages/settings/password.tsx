import { useState } from "react";
import { auth } from "../../api/auth.ts";
import { useMe } from "../../api/signed-in-person.ts";
import { useAuthOperation } from "../../api/use-auth.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Form } from "../../components/form.tsx";
import { HiddenUsernameField } from "../../components/hidden-username-field.tsx";
import { NewPasswordField } from "../../components/new-password-field.tsx";
import { Panel } from "../../components/panel.tsx";
import { showToast } from "../../components/toast.tsx";

export function PasswordPanel() {
  const { email } = useMe();
  const [open, setOpen] = useState(false);
  const change = useAuthOperation(
    (password: string) => auth.post("/password", { password }),
    () => {
      setOpen(false);
      showToast("Password changed.");
    },
  );
  return (
    <Panel
      title="Password"
      actions={
        <Button small onClick={() => setOpen(true)}>
          Change password
        </Button>
      }
    >
      <p className="text-ink-soft">A new password signs you out everywhere else.</p>
      <Dialog open={open} title="Change password" onClose={() => setOpen(false)}>
        <Form
          submit="Change password"
          busy={change.pending}
          problem={change.problem}
          onCancel={() => setOpen(false)}
          onSubmit={(form) => void change.run(String(form.get("password") ?? ""))}
        >
          <HiddenUsernameField email={email} />
          <NewPasswordField label="New password" />
        </Form>
      </Dialog>
    </Panel>
  );
}
