import type { Me } from "@florin/contract/person.ts";
import type { InvitationPreview } from "@florin/contract/team.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { auth } from "../api/auth.ts";
import { announceSignedInPerson, announceSignOut } from "../api/other-tabs.ts";
import type { ApiProblem } from "../api/problem.ts";
import { queries } from "../api/query-client.ts";
import { useAuthOperation } from "../api/use-auth.ts";
import { Button } from "../components/button.tsx";
import { CredentialsForm } from "../components/credentials-form.tsx";
import { TextField } from "../components/field.tsx";
import { Form, textOf } from "../components/form.tsx";
import { isolateBidi } from "../components/isolate-bidi.ts";
import { AppLink } from "../components/link.tsx";
import { LoadError } from "../components/load-error.tsx";
import { NewPasswordField } from "../components/new-password-field.tsx";
import { Skeleton } from "../components/skeleton.tsx";
import { useLinkToken } from "../shell/link-token.ts";
import { PlainPage } from "../shell/plain-page.tsx";

/** Accepts an invitation to a team with the token of the emailed link. */
export function InvitationPage() {
  const token = useLinkToken();
  const invitation = useQuery<InvitationPreview, ApiProblem>({
    queryKey: ["invitation", token],
    queryFn: () => auth.post<InvitationPreview>("/invitations/read", { token }),
    enabled: token !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const me = useQuery<Me | null>({
    queryKey: ["invitation", "me"],
    queryFn: () => auth.get<Me>("/me").catch(() => null),
  });
  const signedInId = me.data?.id;
  useEffect(() => {
    if (signedInId !== undefined) announceSignedInPerson(signedInId);
  }, [signedInId]);
  const preview = invitation.data;
  if (!token) {
    return (
      <PlainPage
        title="Invitation"
        lead="Open the link in your invitation email. If it has expired, ask an owner of the account for a new one."
      >
        <AppLink to="/">Go to the dashboard</AppLink>
      </PlainPage>
    );
  }
  if (!preview || me.isPending) {
    return (
      <PlainPage title="Invitation">
        {invitation.error && <LoadError problem={invitation.error} />}
        {!invitation.error && <Skeleton lines={3} />}
      </PlainPage>
    );
  }
  return (
    <PlainPage
      title={`Join ${isolateBidi(preview.account_name)}`}
      lead={
        <>
          {preview.invited_by} invited{" "}
          <strong className="break-all text-ink">{preview.email}</strong> to join as {preview.role}.
        </>
      }
    >
      {me.data && <Join token={token} me={me.data} again={() => void me.refetch()} />}
      {!me.data && preview.is_known && (
        <SignInFirst preview={preview} again={() => void me.refetch()} />
      )}
      {!me.data && !preview.is_known && <NewMember token={token} preview={preview} />}
    </PlainPage>
  );
}

type Joined = { readonly account_id: string };

function goTo({ account_id }: Joined): void {
  queries.clear();
  location.assign(`/dashboard/${account_id}/test`);
}

function Join({ token, me, again }: { token: string; me: Me; again: () => void }) {
  const join = useAuthOperation(() => auth.post<Joined>("/invitations/accept", { token }), goTo);
  const leave = useAuthOperation(
    () => auth.post("/sign_out"),
    () => {
      announceSignOut();
      again();
    },
  );
  return (
    <>
      <Form
        submit="Join"
        wide
        busy={join.pending}
        problem={join.problem}
        onSubmit={() => void join.run(undefined)}
      >
        <p className="text-ink-soft">
          You are signed in as <span className="break-all">{me.email}</span>.
        </p>
      </Form>
      <div className="mt-2">
        <Button weight="quiet" wide busy={leave.pending} onClick={() => void leave.run(undefined)}>
          Use a different account
        </Button>
      </div>
    </>
  );
}

function SignInFirst({ preview, again }: { preview: InvitationPreview; again: () => void }) {
  return (
    <CredentialsForm to="/sign_in" submit="Sign in" onDone={again}>
      <TextField
        name="email"
        label="Email address"
        type="email"
        autoComplete="username"
        value={preview.email}
        readOnly
      />
    </CredentialsForm>
  );
}

function NewMember({ token, preview }: { token: string; preview: InvitationPreview }) {
  const signUp = useAuthOperation(
    (chosen: object) => auth.post<Joined>("/invitations/sign_up", { token, ...chosen }),
    goTo,
  );
  return (
    <Form
      submit="Join"
      wide
      busy={signUp.pending}
      problem={signUp.problem}
      onSubmit={(form) =>
        void signUp.run({
          name: textOf(form, "name"),
          password: String(form.get("password") ?? ""),
        })
      }
    >
      <TextField
        name="email"
        label="Email address"
        value={preview.email}
        autoComplete="username"
        readOnly
      />
      <TextField name="name" label="Your name" autoComplete="name" autoFocus />
      <NewPasswordField />
    </Form>
  );
}
