import { ChevronLeft } from "lucide-react";
import { useMe } from "../../api/signed-in-person.ts";
import { AppLink } from "../../components/link.tsx";
import { Notice } from "../../components/notice.tsx";
import { ShownTogether } from "../../components/shown-together.tsx";
import { useTitle } from "../../components/use-title.ts";
import { AuthenticatorAppPanel } from "./authenticator-app.tsx";
import { PasskeysPanel } from "./passkeys.tsx";
import { PasswordPanel } from "./password.tsx";
import { RecoveryCodesPanel } from "./recovery-codes.tsx";
import { SessionsPanel } from "./sessions.tsx";

/** The sign-in methods and the active sessions of the signed-in person. */
export function SecurityPage() {
  const { name, email, operator, second_factors } = useMe();
  const hasFactor = second_factors.totp || second_factors.passkeys > 0;
  useTitle("Security settings");
  return (
    <main className="mx-auto w-full max-w-3xl px-4 pt-6 pb-24 sm:pt-10">
      <header className="mb-6">
        <AppLink
          to="/"
          className="mb-2 -ml-1 inline-flex items-center gap-0.5 text-sm text-ink-soft hover:text-ink"
        >
          <ChevronLeft aria-hidden="true" className="size-4" />
          Back
        </AppLink>
        <h1 className="text-2xl">Security settings</h1>
        <p className="mt-1.5 text-ink-soft">
          {name}, <span className="break-all">{email}</span>. These settings apply to all your
          accounts.
        </p>
      </header>
      <ShownTogether>
        {!hasFactor && (
          <Notice tone="warning">
            Add a passkey or an authenticator app. {operator ? "The admin console" : "Live mode"}{" "}
            requires one.
          </Notice>
        )}
        <PasskeysPanel />
        <AuthenticatorAppPanel />
        {hasFactor && <RecoveryCodesPanel />}
        <PasswordPanel />
        <SessionsPanel />
      </ShownTogether>
    </main>
  );
}
