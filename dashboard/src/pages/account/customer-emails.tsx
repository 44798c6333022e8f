import type { Account } from "@florin/contract/account.ts";
import { useMay } from "../../api/me.ts";
import { useOperation } from "../../api/use-operation.ts";
import { CheckField } from "../../components/field.tsx";
import { Panel } from "../../components/panel.tsx";
import { Problem } from "../../components/problem.tsx";
import { showToast } from "../../components/toast.tsx";

/** The emails that customers get. Each mode has its own setting. */
export function CustomerEmails({ account }: { account: Account }) {
  const may = useMay();
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
        hint={`Customers get a receipt after each successful payment and refund, if their email address is known.${account.livemode ? "" : " In test mode, receipts are sent only to members of your team."}`}
        checked={account.email_receipts}
        disabled={!may("account:write") || change.pending}
        onChange={(event) => void change.run(event.currentTarget.checked)}
      />
      {change.problem && <Problem problem={change.problem} />}
    </Panel>
  );
}
