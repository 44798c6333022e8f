import { useEffect, useRef, useState } from "react";
import { type ApiProblem, asProblem } from "../api/problem.ts";
import { send } from "../api/send.ts";
import { answerProofsWith } from "../api/step-up.ts";
import { Dialog } from "../components/dialog.tsx";
import { TextField } from "../components/field.tsx";
import { Form, textOf } from "../components/form.tsx";

/** Asks the person to prove that it is still them, for whatever request waits for it (`api/step-up.ts`). */
export function StepUpDialog() {
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const answer = useRef<((proved: boolean) => void) | null>(null);
  useEffect(
    () =>
      answerProofsWith(() => {
        setProblem(null);
        setOpen(true);
        return new Promise((resolve) => {
          answer.current = resolve;
        });
      }),
    [],
  );
  const close = (proved: boolean) => {
    setOpen(false);
    answer.current?.(proved);
    answer.current = null;
  };
  const prove = async (form: FormData) => {
    setBusy(true);
    try {
      const body = { password: textOf(form, "password"), code: textOf(form, "code") };
      await send({ method: "POST", path: "/auth/v1/step_up", body });
      close(true);
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open={open}
      title="Is it still you?"
      lead="This is a step that somebody at your open laptop should not be able to take."
      onClose={() => close(false)}
    >
      <Form submit="Go on" busy={busy} problem={problem} onSubmit={(form) => void prove(form)}>
        <TextField
          name="password"
          label="Password"
          type="password"
          autoComplete="current-password"
        />
        <TextField
          name="code"
          label="Code of your authenticator"
          hint="If you have one."
          inputMode="numeric"
          autoComplete="one-time-code"
        />
      </Form>
    </Dialog>
  );
}
