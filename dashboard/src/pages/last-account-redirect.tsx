import { Navigate } from "@tanstack/react-router";
import { signOut } from "../api/sign-out.ts";
import { useMe } from "../api/signed-in-person.ts";
import { addressIn } from "../api/use-api.ts";
import { Button } from "../components/button.tsx";
import { AppLink } from "../components/link.tsx";
import { startScope } from "../shell/last-scope.ts";
import { PlainPage } from "../shell/plain-page.tsx";

/** Redirects `/dashboard` to the last used account and mode, or to the first account in test mode. */
export function LastAccountRedirect() {
  const me = useMe();
  const scope = startScope(me);
  if (scope) return <Navigate to={addressIn(scope, "/")} replace />;
  if (me.operator) return <Navigate to="/operator" replace />;
  return (
    <PlainPage
      title="No account yet"
      lead="You are not a member of any account. Ask an owner to invite you."
    >
      <div className="flex flex-wrap items-center gap-4">
        <Button onClick={() => void signOut()}>Sign out</Button>
        <AppLink to="/settings/security">Security settings</AppLink>
      </div>
    </PlainPage>
  );
}
