import { useState } from "react";
import { auth } from "../api/auth.ts";
import { useAuthOperation } from "../api/use-auth.ts";
import { Form } from "../components/form.tsx";
import { HiddenUsernameField } from "../components/hidden-username-field.tsx";
import { AppLink } from "../components/link.tsx";
import { NewPasswordField } from "../components/new-password-field.tsx";
import { ReadEmailLink } from "../components/read-email-link.tsx";
import { useLinkToken } from "../shell/link-token.ts";
import { PlainPage } from "../shell/plain-page.tsx";
import { RequestEmailForm } from "./request-email-form.tsx";

export function ResetPage() {
  const token = useLinkToken();
  if (!token) {
    return (
      <PlainPage
        title="Reset your password"
        lead="We email you a link that is valid for 30 minutes."
      >
        <RequestEmailForm to="/reset" submit="Send link" />
        <p className="mt-8 text-sm">
          <AppLink to="/sign-in">Back to sign-in</AppLink>
        </p>
      </PlainPage>
    );
  }
  return (
    <PlainPage title="Choose a new password">
      <ReadEmailLink token={token} purpose="reset_password">
        {({ email }) => <NewPasswordForm token={token} email={email ?? ""} />}
      </ReadEmailLink>
    </PlainPage>
  );
}

function NewPasswordForm({ token, email }: { token: string; email: string }) {
  const [isDone, setDone] = useState(false);
  const operation = useAuthOperation(async (password: string) => {
    await auth.post("/reset/complete", { token, password });
    setDone(true);
  });
  if (isDone) {
    return (
      <div className="grid gap-4" role="status">
        <p>Your password was changed, and you were signed out everywhere.</p>
        <p>
          <AppLink to="/sign-in">Sign in</AppLink>
        </p>
      </div>
    );
  }
  return (
    <Form
      submit="Set password"
      wide
      busy={operation.pending}
      problem={operation.problem}
      onSubmit={(form) => void operation.run(String(form.get("password") ?? ""))}
    >
      <HiddenUsernameField email={email} />
      <p className="text-ink-soft">
        This sets a new password for <strong className="break-all text-ink">{email}</strong>. You
        will be signed out everywhere. Your authenticator app and passkeys do not change.
      </p>
      <NewPasswordField label="New password" />
    </Form>
  );
}
