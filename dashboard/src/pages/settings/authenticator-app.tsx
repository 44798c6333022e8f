import type { FactorAddedObject, TotpSecret } from "@florin/contract/person.ts";
import { useState } from "react";
import { auth } from "../../api/auth.ts";
import { useMe } from "../../api/signed-in-person.ts";
import { useAuthOperation } from "../../api/use-auth.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { Panel } from "../../components/panel.tsx";
import { Problem } from "../../components/problem.tsx";
import { QrCode } from "../../components/qr-code.tsx";
import { showToast } from "../../components/toast.tsx";
import { RecoveryCodesDialog } from "./recovery-codes-dialog.tsx";

export function AuthenticatorAppPanel() {
  const { totp } = useMe().second_factors;
  const [secret, setSecret] = useState<TotpSecret | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const begin = useAuthOperation(() => auth.post<TotpSecret>("/totp"), setSecret);
  const remove = useAuthOperation(
    () => auth.delete("/totp"),
    () => showToast("Authenticator app removed."),
  );
  const problem = begin.problem ?? remove.problem;
  return (
    <Panel
      title="Authenticator app"
      actions={
        totp ? (
          <Button
            small
            weight="quiet"
            busy={remove.pending}
            aria-label="Remove authenticator app"
            onClick={() => void remove.run(undefined)}
          >
            Remove
          </Button>
        ) : (
          <Button small busy={begin.pending} onClick={() => void begin.run(undefined)}>
            Set up
          </Button>
        )
      }
    >
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-soft">
        {totp && <Badge tone="positive">On</Badge>}
        {totp
          ? "You enter its code after your password."
          : "An app on your phone shows a code that you enter after your password."}
      </p>
      {problem && (
        <div className="mt-4">
          <Problem problem={problem} />
        </div>
      )}
      <SetUp
        secret={secret}
        onClose={() => setSecret(null)}
        onAdded={(added) => {
          setSecret(null);
          setCodes(added.recovery_codes);
          showToast("Authenticator app added.");
        }}
      />
      <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />
    </Panel>
  );
}

function SetUp({
  secret,
  onClose,
  onAdded,
}: {
  secret: TotpSecret | null;
  onClose: () => void;
  onAdded: (added: FactorAddedObject) => void;
}) {
  const confirm = useAuthOperation(
    (totp_code: string) => auth.post<FactorAddedObject>("/totp/confirm", { totp_code }),
    onAdded,
  );
  return (
    <Dialog
      open={secret !== null}
      title="Set up authenticator app"
      lead="Scan this code with the app, then enter the six digits that it shows."
      onClose={onClose}
    >
      {secret && (
        <div className="grid gap-5">
          <div className="grid justify-items-center gap-3">
            <QrCode text={secret.uri} label="QR code for your authenticator app" />
            <p className="text-center text-sm text-ink-soft">
              Or enter this key:{" "}
              <span className="font-mono break-words text-ink">{inGroups(secret.secret)}</span>{" "}
              <CopyButton text={secret.secret} label="setup key" />
            </p>
          </div>
          <Form
            submit="Add app"
            busy={confirm.pending}
            problem={confirm.problem}
            onCancel={onClose}
            onSubmit={(form) => void confirm.run(textOf(form, "totp_code") ?? " ")}
          >
            <TextField
              name="totp_code"
              label="Code"
              hint="Six digits that change every 30 seconds."
              inputMode="numeric"
              autoComplete="one-time-code"
            />
          </Form>
        </div>
      )}
    </Dialog>
  );
}

/** Inserts a space after every fourth character, for readability. */
function inGroups(text: string): string {
  return text.replace(/(.{4})(?=.)/g, "$1 ");
}
