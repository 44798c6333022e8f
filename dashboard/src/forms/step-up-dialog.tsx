import { useEffect, useRef, useState } from "react";
import { readingMe } from "../api/me.ts";
import { queries } from "../api/queries.ts";
import { answerProofsWith } from "../api/step-up.ts";
import { Dialog } from "../components/dialog.tsx";
import { ProofForm } from "./proof-form.tsx";

/** Asks the person to prove that it is still them, for whatever request waits for it (`api/step-up.ts`). */
export function StepUpDialog() {
  const [open, setOpen] = useState(false);
  const answer = useRef<((proved: boolean) => void) | null>(null);
  useEffect(
    () =>
      answerProofsWith(() => {
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
  return (
    <Dialog
      open={open}
      title="Is it still you?"
      lead="This is a step that somebody at your open laptop should not be able to take."
      onClose={() => close(false)}
    >
      <ProofForm
        to="/step_up"
        submit="Go on"
        passkey={(queries.getQueryData(readingMe.queryKey)?.second_factors.passkeys ?? 0) > 0}
        onDone={() => close(true)}
      />
    </Dialog>
  );
}
