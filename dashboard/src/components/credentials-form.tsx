import type { SecondFactor, SignInResult } from "@florin/contract/person.ts";
import { type ReactNode, useState } from "react";
import { auth } from "../api/auth.ts";
import { getPasskey, passkeysUnavailableReason } from "../api/passkeys.ts";
import { useAuthOperation } from "../api/use-auth.ts";
import { Button } from "./button.tsx";
import { TextField } from "./field.tsx";
import { Form, textOf } from "./form.tsx";

type Props = {
  /**
   * The path of the endpoint that verifies a password, below `/auth/v1`. `passkeyPaths` has the paths of the endpoints
   * for a passkey.
   */
  readonly to: "/sign_in" | "/step_up";
  readonly submit: string;
  /** Fields above the password that are sent with it. */
  readonly children?: ReactNode;
  /** True if the person may have a passkey. */
  readonly passkey?: boolean;
  /** Errors of this callback are shown in the form, which can be submitted again. */
  readonly onDone: () => void | Promise<void>;
};

const passkeyPaths = {
  "/sign_in": ["/passkeys/sign_in_options", "/passkeys/sign_in"],
  "/step_up": ["/step_up/passkey_options", "/step_up/passkey"],
} as const;

/** Verifies a person with a password and, if set up, a second factor. A passkey replaces both. */
export function CredentialsForm({ to, submit, children, passkey: mayHave = true, onDone }: Props) {
  /** The credentials that were accepted so far, and the second factors that the person can use. */
  const [accepted, setAccepted] = useState<{ given: object; has: readonly SecondFactor[] } | null>(
    null,
  );
  const password = useAuthOperation(async (given: object) => {
    const result = await auth.post<SignInResult>(to, given);
    if (result.status === "complete") await onDone();
    else setAccepted({ given, has: result.second_factors });
  });
  const passkey = useAuthOperation(async () => {
    const [optionsPath, verifyPath] = passkeyPaths[to];
    const credential = await getPasskey(await auth.post(optionsPath));
    await auth.post(verifyPath, { credential });
    await onDone();
  });
  // In a dialog, the form looks like the forms of other dialogs.
  const wide = to === "/sign_in";
  const usePasskey = (
    <Button
      wide={wide}
      busy={passkey.pending}
      unavailable={passkeysUnavailableReason()}
      onClick={() => {
        password.reset();
        void passkey.run(undefined);
      }}
    >
      Use a passkey
    </Button>
  );
  if (accepted) {
    return (
      <CodeForm
        has={accepted.has}
        submit={submit}
        wide={wide}
        busy={password.pending}
        problem={password.problem ?? passkey.problem}
        usePasskey={usePasskey}
        onOther={password.reset}
        onCode={(code) => void password.run({ ...accepted.given, ...code })}
      />
    );
  }
  return (
    <>
      <Form
        submit={submit}
        wide={wide}
        busy={password.pending}
        problem={password.problem ?? passkey.problem}
        onSubmit={(form) => {
          passkey.reset();
          const email = textOf(form, "email");
          const text = String(form.get("password") ?? "");
          void password.run({ ...(email && { email }), ...(text && { password: text }) });
        }}
      >
        {children}
        <TextField
          name="password"
          label="Password"
          type="password"
          autoComplete="current-password"
        />
      </Form>
      {mayHave && <Or />}
      {mayHave && usePasskey}
    </>
  );
}

function Or() {
  return (
    <p className="my-5 flex items-center gap-3 text-sm text-ink-soft before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      or
    </p>
  );
}

/** The second factor: a code of the authenticator app or a recovery code. */
function CodeForm({
  has,
  submit,
  wide,
  busy,
  problem,
  usePasskey,
  onOther,
  onCode,
}: {
  readonly has: readonly SecondFactor[];
  readonly submit: string;
  readonly wide: boolean;
  readonly busy: boolean;
  readonly problem: ReturnType<typeof useAuthOperation>["problem"];
  readonly usePasskey: ReactNode;
  readonly onOther: () => void;
  readonly onCode: (code: object) => void;
}) {
  const [recovering, setRecovering] = useState(!has.includes("totp"));
  const name = recovering ? "recovery_code" : "totp_code";
  return (
    <>
      <Form
        key={name}
        submit={submit}
        wide={wide}
        busy={busy}
        problem={problem}
        onSubmit={(form) => onCode({ [name]: textOf(form, name) ?? " " })}
      >
        {recovering ? (
          <TextField
            name="recovery_code"
            label="Recovery code"
            hint="One of the ten recovery codes that you saved. Each code works once."
            autoComplete="off"
            spellCheck={false}
            autoFocus
          />
        ) : (
          <TextField
            name="totp_code"
            label="Authenticator app code"
            hint="Six digits. Each code works once."
            inputMode="numeric"
            autoComplete="one-time-code"
            autoFocus
          />
        )}
      </Form>
      <div className={`mt-5 gap-2 ${wide ? "grid" : "flex flex-wrap"}`}>
        {has.includes("passkey") && usePasskey}
        {has.includes("totp") && has.includes("recovery_code") && (
          <Button
            weight="quiet"
            onClick={() => {
              onOther();
              setRecovering(!recovering);
            }}
          >
            {recovering ? "Use an authenticator code" : "Use a recovery code"}
          </Button>
        )}
      </div>
    </>
  );
}
