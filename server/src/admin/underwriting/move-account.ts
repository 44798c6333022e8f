import { noSuch } from "../../core/api-error.ts";
import type { AccountId } from "../../core/ids.ts";
import { readAccount, updateAccountStatus } from "../../identity/accounts/account.sql.ts";
import { type AccountMove, moveAccount } from "../../identity/accounts/account-status.ts";
import { tellTeam } from "../../identity/accounts/tell-team.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { changedMeanwhile } from "./decide-application.ts";
import { letterOnAccount } from "./letters.ts";
import { type MoveFacts, recordAccountMove } from "./record-move.ts";

/**
 * Suspends, reinstates or closes an account. Every server applies it within a second, the lifetime of its account
 * cache.
 */
export async function moveAccountOnRequest(
  tx: Tx,
  id: AccountId,
  move: Exclude<AccountMove, "approve">,
  facts: Omit<MoveFacts, "move">,
): Promise<void> {
  const account = await readAccount(tx, id);
  if (!account) throw noSuch("account", id);
  const status = moveAccount(account.status, move);
  const { approvedAt } = account;
  if (!(await updateAccountStatus(tx, account, { status, approvedAt }, facts.now))) {
    throw changedMeanwhile();
  }
  await recordAccountMove(tx, account, { ...facts, move });
  await tellTeam(tx, id, "account:write", letterOnAccount(move, account.name), facts.now);
}
