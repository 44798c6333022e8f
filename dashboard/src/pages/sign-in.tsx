import { useSearch } from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import { TextField } from "../components/field.tsx";
import { AppLink } from "../components/link.tsx";
import { ProofForm } from "../forms/proof-form.tsx";
import { PlainPage } from "../shell/plain-page.tsx";

export function SignInPage() {
  const { next } = useSearch({ strict: false }) as { next?: string };
  const goOn = () => {
    queries.clear();
    location.assign(ownPage(next));
  };
  return (
    <PlainPage title="Sign in">
      <ProofForm to="/sign_in" submit="Sign in" onDone={goOn}>
        <TextField
          name="email"
          label="Email address"
          type="email"
          autoComplete="username"
          autoFocus
        />
      </ProofForm>
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

/** Where the person was before; never a page of somebody else, whatever the address says. */
function ownPage(next: string | undefined): string {
  const url = URL.parse(next ?? "", location.origin);
  const isOwn = url?.origin === location.origin && url.pathname.startsWith("/dashboard/");
  return isOwn && !url.pathname.startsWith("/dashboard/sign-in")
    ? url.pathname + url.search + url.hash
    : "/dashboard";
}
