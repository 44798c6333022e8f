import type { Environment } from "../../acquiring/connections/connection.ts";
import type { Accounts } from "../../identity/accounts/account-cache.ts";
import type { Siblings } from "../../platform/processes/siblings.ts";
import type { Vault } from "../../vault/vault.ts";
import type { Wallets } from "../../vault/wallets/wallets.ts";
import type { BatchedCommits } from "../commit/batched-commits.ts";
import type { ClientSecrets } from "../sessions/client-secret.ts";
import type { AuthenticationDeps } from "../three-d-secure/three-d-secure-deps.ts";

/** The dependencies of the operations on checkout sessions. */
export type SessionDeps = {
  readonly charges: AuthenticationDeps;
  readonly accounts: Accounts;
  readonly commits: Pick<BatchedCommits, "insertSession">;
  readonly vault: Vault;
  readonly wallets: Wallets;
  readonly clientSecrets: ClientSecrets;
  readonly siblings: Siblings;
  /** The environment of the live mode's acquirers. For a sandbox, the card form shows that no money moves. */
  readonly environment: Environment;
  /** Returns the origin of the page with Google Pay's button. Null if live mode does not offer Google Pay. */
  readonly walletsUrl: (() => string) | null;
};
