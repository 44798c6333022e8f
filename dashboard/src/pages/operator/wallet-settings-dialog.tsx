import type { OperatorWallet } from "@florin/contract/operator-wallets.ts";
import { walletNames } from "@florin/contract/wallet-names.ts";
import { useAdminOperation } from "../../api/admin.ts";
import { Dialog } from "../../components/dialog.tsx";
import { CheckField, SelectField, TextArea, TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { showToast } from "../../components/toast.tsx";
import { accountLogHint } from "./reason-dialog.tsx";
import type { WalletProps } from "./wallet-keys.ts";

/** Sets up a wallet, or changes its settings. */
export function WalletSettingsDialog({
  wallet: { account, wallet, configuration },
  service: { environment, service_domain: serviceDomain },
  onClose,
}: WalletProps & { readonly onClose: () => void }) {
  const title = walletNames[wallet];
  const isApple = wallet === "apple_pay";
  const operation = useAdminOperation<object>(`/accounts/${account}/wallets/${wallet}`, {
    method: "PUT",
    done() {
      showToast("Settings saved.");
      onClose();
    },
  });
  const submit = (form: FormData) =>
    void operation.run({
      version: configuration?.version ?? 0,
      integration: textOf(form, "integration"),
      status: form.get("enabled") === null ? "disabled" : "enabled",
      merchant_id: textOf(form, "merchant_id") ?? null,
      display_name: textOf(form, "display_name"),
      domains: isApple ? linesOf(form, "domains") : [],
      ...associationOf(form),
      reason: textOf(form, "reason"),
    });
  return (
    <Dialog
      open
      title={configuration ? `Change ${title}` : `Set up ${title}`}
      lead={configuration ? undefined : leads[wallet]}
      onClose={onClose}
    >
      <Form
        submit="Save"
        busy={operation.pending}
        problem={operation.problem}
        onSubmit={submit}
        onCancel={onClose}
      >
        <TextField
          name="merchant_id"
          label={merchantIdLabel(wallet, environment)}
          hint={
            isApple ? "For example, merchant.com.example." : "From the Google Pay & Wallet Console."
          }
          autoComplete="off"
          defaultValue={configuration?.merchant_id ?? undefined}
        />
        <TextField
          name="display_name"
          label="Name on the payment sheet"
          hint="The name of the merchant, up to 64 characters."
          defaultValue={configuration?.display_name}
        />
        <SelectField
          name="integration"
          label="Tokens"
          choices={integrations}
          hint="This service decrypts tokens with the account’s keys, and can send the payment over any connection. A payment with a token that the acquirer decrypts can be sent over one connection only."
          defaultValue={configuration?.integration ?? "direct"}
        />
        {isApple && (
          <TextArea
            name="domains"
            label="Domains"
            rows={3}
            hint={`The domains that are registered with Apple, one on each line. Include ${serviceDomain} for the hosted payment page.`}
            defaultValue={configuration?.domains.join("\n")}
          />
        )}
        {isApple && (
          <TextArea
            name="domain_association"
            label="Verification file (optional)"
            rows={3}
            hint={
              configuration?.has_domain_association
                ? `A file for ${serviceDomain} is stored. Paste another one to replace it.`
                : `The contents of Apple’s file for ${serviceDomain}. This service then serves it to Apple.`
            }
          />
        )}
        <CheckField
          name="enabled"
          label="Enabled"
          hint="The card form offers the wallet as soon as its keys are in use."
          defaultChecked={(configuration?.status ?? "enabled") === "enabled"}
        />
        <TextArea name="reason" label="Reason" hint={accountLogHint} rows={2} />
      </Form>
    </Dialog>
  );
}

const integrations = [
  ["direct", "Decrypted by this service"],
  ["gateway", "Decrypted by the acquirer"],
] as const;

const leads: Readonly<Record<OperatorWallet["wallet"], string>> = {
  google_pay: "Create the merchant’s profile in the Google Pay & Wallet Console first.",
  apple_pay: "Create the merchant identifier in your Apple Developer account first.",
};

function merchantIdLabel(
  wallet: OperatorWallet["wallet"],
  environment: WalletProps["service"]["environment"],
): string {
  if (wallet === "apple_pay") return "Merchant identifier";
  return environment === "sandbox" ? "Merchant ID (optional)" : "Merchant ID";
}

/** Returns the entries of a text with one entry on each line. */
function linesOf(form: FormData, name: string): string[] {
  return (textOf(form, name) ?? "")
    .split("\n")
    .map((line) => line.trim().toLowerCase())
    .filter((line) => line !== "");
}

/** Returns the verification file, if one was pasted. An empty field changes nothing. */
function associationOf(form: FormData): object {
  const association = textOf(form, "domain_association");
  return association === undefined ? {} : { domain_association: btoa(association) };
}
