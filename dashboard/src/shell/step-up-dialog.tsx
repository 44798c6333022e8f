import { readingMe } from "../api/me.ts";
import { queries } from "../api/queries.ts";
import { freshProof } from "../api/step-up.ts";
import { ProofForm } from "../components/credentials-form.tsx";
import { Dialog } from "../components/dialog.tsx";
import { useQuestion } from "./use-prompt.ts";

/** Verifies the person again for a request that requires it (`api/step-up.ts`). */
export function StepUpDialog() {
  const { open, answer } = useQuestion(freshProof);
  return (
    <Dialog
      open={open}
      title="Confirm it’s you"
      lead="This action requires a recent sign-in."
      onClose={() => answer(false)}
    >
      <ProofForm
        to="/step_up"
        submit="Continue"
        passkey={(queries.getQueryData(readingMe.queryKey)?.second_factors.passkeys ?? 0) > 0}
        onDone={() => answer(true)}
      />
    </Dialog>
  );
}
