import { useQueryClient } from "@tanstack/react-query";
import { readingMe, useMe } from "../api/signed-in-person.ts";
import { showStepUp } from "../api/step-up.ts";
import { Button, buttonStyle } from "../components/button.tsx";
import { AppLink } from "../components/link.tsx";
import { PlainPage } from "./plain-page.tsx";

/** Live mode requires a second factor even for viewing. */
export function SecondFactorRequired({ account }: { account: string }) {
  const { totp, passkeys } = useMe().second_factors;
  const hasOne = totp || passkeys > 0;
  const client = useQueryClient();
  const reauthenticate = async () => {
    if (await showStepUp()) await client.invalidateQueries({ queryKey: readingMe.queryKey });
  };
  return (
    <PlainPage
      title="Live mode requires two-step verification"
      lead={
        hasOne
          ? "You signed in without two-step verification. Verify your identity to continue."
          : "Add a passkey or an authenticator app. It takes a minute and works for all your accounts."
      }
    >
      <div className="flex flex-wrap items-center gap-4">
        {hasOne ? (
          <Button weight="primary" onClick={() => void reauthenticate()}>
            Verify
          </Button>
        ) : (
          <AppLink to="/settings/security" className={buttonStyle("primary")}>
            Set up two-step verification
          </AppLink>
        )}
        <AppLink to={`/${account}/test`}>Back to test mode</AppLink>
      </div>
    </PlainPage>
  );
}
