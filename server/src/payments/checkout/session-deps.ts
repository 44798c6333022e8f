import type { Owner } from "../../core/owner.ts";
import type { Accounts } from "../../identity/accounts/account-cache.ts";
import type { Vault } from "../../vault/vault.ts";
import type { ChargeDeps } from "../charges/charge-deps.ts";
import type { BatchedCommits } from "../commit/batched-commits.ts";
import type { ClientSecrets } from "../sessions/client-secret.ts";

/** The dependencies of the operations on checkout sessions. */
export type SessionDeps = {
  readonly charges: ChargeDeps;
  readonly accounts: Accounts;
  readonly commits: Pick<BatchedCommits, "insertSession">;
  readonly vault: Vault;
  readonly clientSecrets: ClientSecrets;
  /**
   * Returns the origins that the challenge document may frame and post to: any issuer in live mode, the simulator's in
   * test mode.
   */
  readonly issuerOrigins: (owner: Owner) => readonly string[];
};
