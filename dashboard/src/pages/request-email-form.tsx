import { type ReactNode, useState } from "react";
import { auth } from "../api/auth.ts";
import { useAuthOperation } from "../api/use-auth.ts";
import { TextField } from "../components/field.tsx";
import { Form, textOf } from "../components/form.tsx";
import { EmailSent } from "./email-sent.tsx";

/** A form that requests an email with a link, as for sign-up and password reset. */
export function RequestEmailForm({
  to,
  submit,
  hint,
}: {
  to: "/sign_up" | "/reset";
  submit: string;
  hint?: ReactNode;
}) {
  const [sentTo, setSentTo] = useState<string | null>(null);
  const operation = useAuthOperation(async (email: string) => {
    await auth.post(to, { email });
    setSentTo(email);
  });
  if (sentTo) return <EmailSent to={sentTo} />;
  return (
    <Form
      submit={submit}
      wide
      busy={operation.pending}
      problem={operation.problem}
      onSubmit={(form) => void operation.run(textOf(form, "email") ?? "")}
    >
      <TextField
        name="email"
        label="Email address"
        type="email"
        autoComplete="username"
        hint={hint}
        autoFocus
      />
    </Form>
  );
}
