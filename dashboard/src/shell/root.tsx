import { Outlet } from "@tanstack/react-router";
import { Suspense, useEffect, useEffectEvent } from "react";
import { queries } from "../api/query-client.ts";
import { readingMe } from "../api/signed-in-person.ts";
import { stepUpPrompt } from "../api/step-up.ts";
import { CredentialsForm } from "../components/credentials-form.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Toasts } from "../components/toast.tsx";
import { LoadNotice } from "./load-notice.tsx";
import { PendingPage } from "./pending-page.tsx";
import { SignInAgainDialog } from "./sign-in-again-dialog.tsx";
import { usePrompt } from "./use-prompt.ts";

/** The elements of every page. */
export function Root() {
  return (
    <>
      <Suspense fallback={<PendingPage />}>
        <Outlet />
      </Suspense>
      <StepUpDialog />
      <SignInAgainDialog />
      <LoadNotice />
      <Toasts />
    </>
  );
}

/** Reauthenticates the person for a request that requires it (`api/step-up.ts`). */
function StepUpDialog() {
  const { open, pageLeft, close } = usePrompt(stepUpPrompt);
  const cancel = useEffectEvent(() => close(false));
  // Closes the dialog after the person has left the page, because `send` then no longer sends the operation.
  useEffect(() => {
    if (open && pageLeft) cancel();
  }, [open, pageLeft]);
  return (
    <Dialog
      open={open}
      title="Confirm it’s you"
      lead="This action requires a recent sign-in."
      onClose={() => close(false)}
    >
      <CredentialsForm
        to="/step_up"
        submit="Continue"
        passkey={(queries.getQueryData(readingMe.queryKey)?.second_factors.passkeys ?? 0) > 0}
        onDone={() => close(true)}
      />
    </Dialog>
  );
}
