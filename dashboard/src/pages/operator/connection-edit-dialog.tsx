import type { Connection } from "@florin/contract/operator-connections.ts";
import { useAdminOperation } from "../../api/admin.ts";
import { Dialog } from "../../components/dialog.tsx";
import { TextArea, TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { showToast } from "../../components/toast.tsx";
import { acquirerTexts } from "./acquirer-texts.ts";
import { serviceLogHint } from "./reason-dialog.tsx";

/**
 * Changes the name, the public key and the rate limit of a connection. Before the activation, can also change its
 * settings.
 */
export function EditConnectionDialog({
  connection,
  onClose,
}: {
  connection: Connection;
  onClose: () => void;
}) {
  const { id, version, state, name, processor, settings, requests_per_second } = connection;
  const { publicKey } = acquirerTexts[processor];
  const hasSettings = state === "draft" || state === "tested";
  const operation = useAdminOperation<object>(`/connections/${id}`, {
    method: "PATCH",
    done() {
      showToast("Connection changed.");
      onClose();
    },
  });
  const submit = (form: FormData) => {
    const merchant_account = textOf(form, "settings.merchant_account");
    const live_prefix = textOf(form, "settings.live_prefix");
    // Sends the settings only if they changed, because a request with settings makes a new test of the connection
    // necessary.
    const isChanged =
      merchant_account !== settings.merchant_account ||
      (live_prefix ?? null) !== settings.live_prefix;
    const limit = textOf(form, "requests_per_second");
    void operation.run({
      version,
      name: textOf(form, "name"),
      ...(hasSettings && isChanged && { settings: { merchant_account, live_prefix } }),
      ...(publicKey !== null && { public_key: textOf(form, "public_key") ?? null }),
      requests_per_second: limit === undefined ? null : /^\d+$/.test(limit) ? Number(limit) : limit,
      reason: textOf(form, "reason"),
    });
  };
  return (
    <Dialog
      open
      title="Change connection"
      lead={
        hasSettings
          ? "After you change the merchant account or the URL prefix, test the connection again."
          : "The merchant account cannot be changed after activation."
      }
      onClose={onClose}
    >
      <Form
        submit="Change"
        busy={operation.pending}
        problem={operation.problem}
        onSubmit={submit}
        onCancel={onClose}
      >
        <TextField name="name" label="Name" defaultValue={name} />
        {hasSettings && (
          <TextField
            name="settings.merchant_account"
            label="Merchant account"
            autoComplete="off"
            defaultValue={settings.merchant_account}
          />
        )}
        {hasSettings && settings.live_prefix !== null && (
          <TextField
            name="settings.live_prefix"
            label={acquirerTexts[processor].prefix?.label ?? "URL prefix"}
            autoComplete="off"
            defaultValue={settings.live_prefix}
          />
        )}
        {publicKey !== null && (
          <TextField
            name="public_key"
            label={`${publicKey.label} (optional)`}
            hint={publicKey.hint}
            autoComplete="off"
            defaultValue={connection.public_key ?? undefined}
          />
        )}
        <TextField
          name="requests_per_second"
          label="Requests per second (optional)"
          hint="For all processes of one server together. Leave empty for no limit."
          inputMode="numeric"
          defaultValue={requests_per_second ?? undefined}
        />
        <TextArea name="reason" label="Reason" hint={serviceLogHint} />
      </Form>
    </Dialog>
  );
}
