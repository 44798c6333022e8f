import { readingMe } from "../api/me.ts";
import { queries } from "../api/queries.ts";
import { freshProof } from "../api/step-up.ts";
import { Dialog } from "../components/dialog.tsx";
import { ProofForm } from "./proof-form.tsx";
import { useQuestion } from "./use-question.ts";

/** Verifies the person again for a request that requires it (`api/step-up.ts`). */
export function StepUpDialog() {
  const { open, answer } = useQuestion(freshProof);
  return (
    <Dialog
      open={open}
      title="Is it still you?"
      lead="This is a step that somebody at your open laptop should not be able to take."
      onClose={() => answer(false)}
    >
      <ProofForm
        to="/step_up"
        submit="Go on"
        passkey={(queries.getQueryData(readingMe.queryKey)?.second_factors.passkeys ?? 0) > 0}
        onDone={() => answer(true)}
      />
    </Dialog>
  );
}
