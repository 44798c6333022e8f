import type { Me } from "@florin/contract/person.ts";
import { useQuery } from "@tanstack/react-query";
import { auth } from "../../api/auth.ts";
import { queries } from "../../api/query-client.ts";
import { useAuthOperation } from "../../api/use-auth.ts";
import { TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { NewPasswordField } from "../../components/new-password-field.tsx";
import { ReadEmailLink } from "../../components/read-email-link.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { useLinkToken } from "../../shell/link-token.ts";
import { PlainPage } from "../../shell/plain-page.tsx";

/**
 * The page of the setup link that the server prints at startup while there is no operator. The visitor becomes the
 * first operator.
 */
export function SetUpOperatorPage() {
  const token = useLinkToken();
  const me = useQuery<Me | null>({
    queryKey: ["set-up", "me"],
    queryFn: () => auth.get<Me>("/me").catch(() => null),
  });
  return (
    <PlainPage
      title="Set up the first operator"
      lead="Operators monitor the service, and review merchants who want to go live. Next, you set up two-step verification."
    >
      {!token && <p>Open the link that the service printed at startup.</p>}
      {token && (
        <ReadEmailLink token={token} purpose="set_up_operator">
          {() => {
            if (me.isPending) return <Skeleton lines={3} />;
            return me.data ? <Join token={token} me={me.data} /> : <NewOperator token={token} />;
          }}
        </ReadEmailLink>
      )}
    </PlainPage>
  );
}

/** Opens the security settings, because the admin console requires a second factor. */
function openSecuritySettings(): void {
  queries.clear();
  location.assign("/dashboard/settings/security");
}

function Join({ token, me }: { token: string; me: Me }) {
  const join = useAuthOperation(async () => {
    await auth.post("/operator_set_up/join", { token });
    openSecuritySettings();
  });
  return (
    <Form
      submit="Become operator"
      wide
      busy={join.pending}
      problem={join.problem}
      onSubmit={() => void join.run(undefined)}
    >
      <p>
        You are signed in as <strong className="break-all">{me.email}</strong>. You become an
        operator of this service.
      </p>
    </Form>
  );
}

function NewOperator({ token }: { token: string }) {
  const operation = useAuthOperation(async (chosen: object) => {
    await auth.post("/operator_set_up", { token, ...chosen });
    openSecuritySettings();
  });
  return (
    <Form
      submit="Become operator"
      wide
      busy={operation.pending}
      problem={operation.problem}
      onSubmit={(form) =>
        void operation.run({
          email: textOf(form, "email"),
          name: textOf(form, "name"),
          password: String(form.get("password") ?? ""),
        })
      }
    >
      <TextField
        name="email"
        label="Email address"
        type="email"
        autoComplete="username"
        autoFocus
      />
      <TextField name="name" label="Your name" autoComplete="name" />
      <NewPasswordField />
    </Form>
  );
}
