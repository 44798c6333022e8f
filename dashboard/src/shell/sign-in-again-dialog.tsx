import type { Me } from "@florin/contract/person.ts";
import { useEffect, useEffectEvent } from "react";
import { announceSignedInPerson, onSignInElsewhere } from "../api/other-tabs.ts";
import { queries } from "../api/query-client.ts";
import { send } from "../api/send.ts";
import { sessionEnded } from "../api/session-ended.ts";
import { signInPrompt } from "../api/sign-in-again.ts";
import { readingMe } from "../api/signed-in-person.ts";
import { Button } from "../components/button.tsx";
import { CredentialsForm } from "../components/credentials-form.tsx";
import { Dialog } from "../components/dialog.tsx";
import { TextField } from "../components/field.tsx";
import { usePrompt } from "./use-prompt.ts";

const knownPerson = () => queries.getQueryData(readingMe.queryKey);

/**
 * Shown over a page whose session has ended (`api/sign-in-again.ts`). Text that the person has typed on the page is not
 * lost.
 */
export function SignInAgainDialog() {
  const { open, pageLeft, close } = usePrompt(signInPrompt, () => knownPerson() !== undefined);
  const continueAfterSignIn = async () => {
    const before = knownPerson()?.id;
    const me = await send<Me>({ method: "GET", path: "/auth/v1/me", withoutDialogs: true });
    // A different person signed in. The reload drops the previous person's pending requests, which must not be sent in
    // the new session.
    if (me.id !== before) return location.reload();
    queries.setQueryData(readingMe.queryKey, me);
    close(true);
    // Refetches all data, because the data is stale or failed to load after the session ended.
    void queries.invalidateQueries();
    return me;
  };
  const continueInAllTabs = async () => {
    const me = await continueAfterSignIn();
    if (me) announceSignedInPerson(me.id);
  };
  // All tabs send the same session cookie, so one sign-in is enough for all of them.
  const continueAfterSignInElsewhere = useEffectEvent(() => {
    // After an error, the person can still sign in here.
    continueAfterSignIn().catch(() => undefined);
  });
  useEffect(() => (open ? onSignInElsewhere(continueAfterSignInElsewhere) : undefined), [open]);
  return (
    <Dialog
      open={open}
      title="Sign in again"
      blurred
      lead={`Your session has ended. ${
        pageLeft
          ? "Operations that you started on the previous page are not executed."
          : "What you entered on this page is still here."
      }`}
      onClose={() => close(false)}
    >
      <CredentialsForm
        to="/sign_in"
        submit="Sign in"
        passkey={(knownPerson()?.second_factors.passkeys ?? 0) > 0}
        onDone={continueInAllTabs}
      >
        <TextField
          name="email"
          label="Email address"
          type="email"
          autoComplete="username"
          defaultValue={knownPerson()?.email ?? ""}
          readOnly
        />
      </CredentialsForm>
      <div className="mt-5">
        <Button weight="quiet" small onClick={sessionEnded}>
          Use a different account
        </Button>
      </div>
    </Dialog>
  );
}
