import type { OperatorWallet, WalletKey } from "@florin/contract/operator-wallets.ts";
import { useState } from "react";
import { useAdminOperation } from "../../api/admin.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Field, fieldStyle, TextArea } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { showToast } from "../../components/toast.tsx";
import { accountLogHint } from "./reason-dialog.tsx";
import { keyPath } from "./wallet-keys.ts";

/** Uploads the certificate that Apple issued for a key. */
export function WalletCertificateDialog({
  wallet,
  pending,
  onClose,
}: {
  wallet: OperatorWallet;
  pending: WalletKey;
  onClose: () => void;
}) {
  const [fault, setFault] = useState<string | null>(null);
  const operation = useAdminOperation<object>(`${keyPath(wallet, pending)}/certificate`, {
    method: "PUT",
    done() {
      showToast("Certificate stored.");
      onClose();
    },
  });
  async function submit(form: FormData): Promise<void> {
    const file = form.get("certificate");
    if (!(file instanceof File) || file.size === 0) return setFault("Choose a file.");
    if (file.size > maxBytes)
      return setFault("The file is too large for a certificate. Choose the file from Apple.");
    setFault(null);
    await operation.run({
      version: pending.version,
      certificate: await textOfCertificate(file),
      reason: textOf(form, "reason"),
    });
  }
  return (
    <Dialog
      open
      title="Upload the certificate from Apple"
      lead="The certificate must belong to this key and to the merchant identifier."
      onClose={onClose}
    >
      <Form
        submit="Upload"
        busy={operation.pending}
        problem={operation.problem}
        onSubmit={(form) => void submit(form)}
        onCancel={onClose}
      >
        <Field name="certificate" label="Certificate" hint="A .cer or .pem file." fault={fault}>
          {(ariaProps) => (
            <input
              type="file"
              accept=".cer,.crt,.der,.pem"
              {...ariaProps}
              className={`${fieldStyle} py-1.5 file:mr-3 file:rounded-sm file:border-0 file:bg-sunken file:px-2 file:py-0.5 file:text-ink`}
            />
          )}
        </Field>
        <TextArea name="reason" label="Reason" hint={accountLogHint} />
      </Form>
    </Dialog>
  );
}

const maxBytes = 10_000;

/** Returns the file's text if it is PEM, or else its bytes in base64. */
async function textOfCertificate(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return text.trimStart().startsWith("-----BEGIN") ? text : btoa(text);
}
