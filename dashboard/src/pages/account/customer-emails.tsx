import type { Account } from "@florin/contract/account.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useOperation } from "../../api/use-operation.ts";
import { useService } from "../../api/use-service.ts";
import { CheckField } from "../../components/field.tsx";
import { Panel } from "../../components/panel.tsx";
import { Problem } from "../../components/problem.tsx";
import { showToast } from "../../components/toast.tsx";

/** The emails that customers get. Each mode has its own setting. */
export function CustomerEmails({ account }: { account: Account }) {
  const may = useMay();
  const service = useService();
  const change = useOperation<boolean, Account>(
    (api, email_receipts, key) => api.post("/account", { email_receipts }, key),
    {
      done: ({ email_receipts }) =>
        showToast(email_receipts ? "Receipts turned on." : "Receipts turned off."),
    },
  );
  return (
    <Panel title="Customer emails" lead={account.livemode ? "Live mode" : "Test mode"}>
      <CheckField
        name="email_receipts"
        label="Email receipts"
        hint={receiptHint(account, service?.sends_email ?? true)}
        checked={account.email_receipts}
        disabled={!may("account:write") || change.pending}
        onChange={(event) => void change.run(event.currentTarget.checked)}
      />
      {change.problem && <Problem problem={change.problem} />}
    </Panel>
  );
}

/** Returns when customers get receipts, which depends on the mode and on the mail server of the service. */
function receiptHint({ livemode }: Account, isSent: boolean): string {
  const events = "after each successful payment and refund";
  if (!isSent)
    return `This service has no mail server. A receipt ${events} is created but not sent.`;
  const all = `Customers get a receipt ${events}, if their email address is known.`;
  return livemode ? all : `${all} In test mode, only members of your team get receipts.`;
}
