import type { Connection } from "@florin/contract/operator-connections.ts";
import { useAdminOperation } from "../../api/admin.ts";
import { Dialog } from "../../components/dialog.tsx";
import { TextArea, TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { acquirerTexts, inSentence } from "./acquirer-texts.ts";
import { showDoneToast } from "./done-toast.ts";
import { serviceLogHint } from "./reason-dialog.tsx";

/** Stores new secrets. A field that stays empty keeps the stored secret. */
export function StoreSecretsDialog({
  connection: { id, version, state, processor },
  isFirst,
  onClose,
}: {
  connection: Connection;
  isFirst: boolean;
  onClose: () => void;
}) {
  const { apiKeyLabel, hmacKeyLabel, hmacKeyHint } = acquirerTexts[processor];
  const operation = useAdminOperation<object>(`/connections/${id}/secrets`, {
    method: "PUT",
    done(response) {
      showDoneToast(response, "Secrets stored.");
      onClose();
    },
  });
  const submit = (form: FormData) =>
    void operation.run({
      version,
      api_key: textOf(form, "api_key"),
      hmac_key: textOf(form, "hmac_key"),
      reason: textOf(form, "reason"),
    });
  const isInUse = state === "active" || state === "suspended" || state === "draining";
  const optional = isFirst ? "" : " (optional)";
  return (
    <Dialog
      open
      title={isFirst ? "Store secrets" : "Replace secrets"}
      lead={
        isInUse
          ? `The new secrets are tested before they are stored. Notifications with the previous ${inSentence(hmacKeyLabel)} are accepted for another 24 hours.`
          : isFirst
            ? "After you store the secrets, test the connection and send a test notification."
            : "After you replace the secrets, test the connection again and send another test notification."
      }
      onClose={onClose}
    >
      <Form
        submit="Store"
        busy={operation.pending}
        problem={operation.problem}
        onSubmit={submit}
        onCancel={onClose}
      >
        <TextField
          name="api_key"
          label={`${apiKeyLabel}${optional}`}
          type="password"
          autoComplete="off"
        />
        <TextField
          name="hmac_key"
          label={`${hmacKeyLabel}${optional}`}
          hint={hmacKeyHint}
          type="password"
          autoComplete="off"
        />
        <TextArea name="reason" label="Reason" hint={serviceLogHint} />
      </Form>
    </Dialog>
  );
}
