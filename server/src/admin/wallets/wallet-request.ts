import type { AuditAction } from "@florin/contract/audit-actions.ts";
import type { OperatorWallet } from "@florin/contract/operator-wallets.ts";
import { type LiveWallet, liveWallets } from "@florin/contract/payment-method.ts";
import type { Environment } from "../../acquiring/connections/connection.ts";
import { noSuch } from "../../core/api-error.ts";
import type { AccountId } from "../../core/ids.ts";
import { readAccount } from "../../identity/accounts/account.sql.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { readConfiguration } from "../../vault/wallets/configurations/wallet-configuration.sql.ts";
import { listKeys } from "../../vault/wallets/configurations/wallet-key.sql.ts";
import type { WalletService } from "../../vault/wallets/configurations/why-not-offered.ts";
import type { OperatorDeps } from "../operator/operator-deps.ts";
import {
  accountIn,
  type OperatorRequest,
  operatorAuditEntry,
} from "../operator/operator-request.ts";
import { walletObject } from "./wallet-object.ts";

export type WalletRouteDeps = OperatorDeps & {
  readonly environment: Environment;
  /** Returns the origin at which browsers reach the service. */
  readonly publicUrl: () => string;
  /** True if the service has the second origin, on which Google's script runs. */
  readonly hasWalletsUrl: boolean;
};

/** Returns the properties of the service that determine which wallets it can offer. */
export function serviceOf({ environment, hasWalletsUrl }: WalletRouteDeps): WalletService {
  return { isSandbox: environment === "sandbox", hasWalletsUrl };
}

/** Returns the wallet as the responses show it. */
export async function readWallet(
  deps: WalletRouteDeps,
  account: AccountId,
  wallet: LiveWallet,
): Promise<OperatorWallet> {
  const configuration = await readConfiguration(deps.database.read, account, wallet);
  const stored = await listKeys(deps.database.read, account);
  return walletObject(account, wallet, configuration, stored, serviceOf(deps), deps.clock.now());
}

/** Returns the account in the path. Throws if it does not exist. */
export async function readKnownAccount(
  deps: WalletRouteDeps,
  request: OperatorRequest,
): Promise<AccountId> {
  const account = accountIn(request);
  if (!(await readAccount(deps.database.read, account))) throw noSuch("account", account);
  return account;
}

/** Returns the wallet in the path. */
export function walletIn({ params }: OperatorRequest): LiveWallet {
  const wallet = liveWallets.find((name) => name === params.wallet);
  if (!wallet) throw noSuch("wallet", params.wallet as string);
  return wallet;
}

/** Records the audit entry of a change. */
export function recordWalletChange(
  { clock }: WalletRouteDeps,
  tx: Tx,
  request: OperatorRequest,
  account: AccountId,
  action: AuditAction,
  done: Omit<Parameters<typeof operatorAuditEntry>[1], "account" | "action">,
): Promise<void> {
  return recordAuditEntry(tx, operatorAuditEntry(request, { account, action, ...done }), clock);
}
