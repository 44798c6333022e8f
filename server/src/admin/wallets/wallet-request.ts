import type { OperatorWallet } from "@florin/contract/operator-wallets.ts";
import { type DigitalWallet, digitalWallets } from "@florin/contract/payment-method.ts";
import type { Environment } from "../../acquiring/connections/connection.ts";
import { noSuch } from "../../core/api-error.ts";
import type { AccountId } from "../../core/ids.ts";
import { readAccount } from "../../identity/accounts/account.sql.ts";
import { readConfiguration } from "../../vault/wallets/configurations/wallet-configuration.sql.ts";
import { listKeys } from "../../vault/wallets/configurations/wallet-key.sql.ts";
import type { WalletService } from "../../vault/wallets/configurations/why-not-offered.ts";
import type { OperatorDeps } from "../operator/operator-deps.ts";
import { accountIn, type OperatorRequest } from "../operator/operator-request.ts";
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
  wallet: DigitalWallet,
): Promise<OperatorWallet> {
  const configuration = await readConfiguration(deps.database.read, account, wallet);
  const keys = await listKeys(deps.database.read, account);
  const found = { account, wallet, configuration, keys };
  return walletObject(found, serviceOf(deps), deps.clock.now());
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
export function walletIn({ params }: OperatorRequest): DigitalWallet {
  const wallet = digitalWallets.find((name) => name === params.wallet);
  if (!wallet) throw noSuch("wallet", params.wallet as string);
  return wallet;
}
