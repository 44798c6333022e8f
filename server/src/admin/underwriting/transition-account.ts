import { noSuch } from "../../core/api-error.ts";
import type { AccountId } from "../../core/ids.ts";
import { readAccount, updateAccountStatus } from "../../identity/accounts/account.sql.ts";
import {
  type AccountTransition,
  transitionAccount,
} from "../../identity/accounts/account-status.ts";
import { emailTeam } from "../../identity/team/email-team.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { changedConcurrently } from "./decide-application.ts";
import { accountStatusEmail } from "./emails.ts";
import { recordAccountTransition, type TransitionDetails } from "./record-transition.ts";

/**
 * Suspends, reinstates or closes an account. The change takes effect on every server within a second
 * (`maxStalenessMs`).
 */
export async function transitionAccountOnRequest(
  tx: Tx,
  id: AccountId,
  transition: Exclude<AccountTransition, "approve">,
  details: Omit<TransitionDetails, "transition">,
): Promise<void> {
  const account = await readAccount(tx, id);
  if (!account) throw noSuch("account", id);
  const status = transitionAccount(account.status, transition);
  const { approvedAt } = account;
  if (!(await updateAccountStatus(tx, account, { status, approvedAt }, details.now))) {
    throw changedConcurrently();
  }
  await recordAccountTransition(tx, account, { ...details, transition });
  await emailTeam(
    tx,
    id,
    "account:write",
    accountStatusEmail(transition, account.name),
    details.now,
  );
}
