import { useSearch } from "@tanstack/react-router";
import { useDemoMail } from "../api/demo-inbox.ts";
import { queries } from "../api/query-client.ts";
import { CredentialsForm } from "../components/credentials-form.tsx";
import { TextField } from "../components/field.tsx";
import { AppLink } from "../components/link.tsx";
import { PlainPage } from "../shell/plain-page.tsx";

export function SignInPage() {
  const { next } = useSearch({ strict: false }) as { next?: string };
  const continueAfterSignIn = () => {
    queries.clear();
    // Replaces the sign-in page in the history, so that the back button does not show it to a signed-in person.
    location.replace(safeReturnPath(next));
  };
  return (
    <PlainPage title="Sign in">
      <CredentialsForm to="/sign_in" submit="Sign in" onDone={continueAfterSignIn}>
        <TextField
          name="email"
          label="Email address"
          type="email"
          autoComplete="username"
          autoFocus
        />
      </CredentialsForm>
      <DemoHint />
      <p className="mt-8 flex flex-wrap justify-between gap-x-6 gap-y-1 text-sm">
        <AppLink to="/reset">Forgot your password?</AppLink>
        <span className="text-ink-soft">
          New here?{" "}
          <AppLink to="/sign-up" className="link underline">
            Sign up
          </AppLink>
        </span>
      </p>
    </PlainPage>
  );
}

/** Shows where a demo prints its credentials. */
function DemoHint() {
  return useDemoMail() !== "none" ? (
    <p className="mt-6 rounded-md bg-info-soft px-4 py-2.5 text-info">
      This is a demo. Sign in with the email address and password that the service printed when it
      started.
    </p>
  ) : null;
}

/** Returns the page to open after sign-in. Ignores a URL of another origin, which would be an open redirect. */
function safeReturnPath(next: string | undefined): string {
  const url = URL.parse(next ?? "", location.origin);
  const isOwn = url?.origin === location.origin && url.pathname.startsWith("/dashboard/");
  return isOwn && !url.pathname.startsWith("/dashboard/sign-in")
    ? url.pathname + url.search + url.hash
    : "/dashboard";
}
