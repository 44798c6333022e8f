import type { Accounts } from "../accounts/accounts.ts";
import type { ChargeDeps } from "../charges/charge-deps.ts";
import type { Owner } from "../primitives/owner.ts";
import type { Vault } from "../vault/vault.ts";
import type { SessionOpening } from "./checkout-session.sql.ts";
import type { EmbedUrlOf } from "./checkout-session.ts";
import type { ClientSecrets } from "./client-secret.ts";

/** What the operations on checkout sessions need of the world. */
export type SessionDeps = {
  readonly charges: ChargeDeps;
  readonly accounts: Accounts;
  /** Group-committed: `openSessions` for one session. */
  readonly openSession: (opening: SessionOpening) => Promise<boolean>;
  readonly vault: Vault;
  readonly clientSecrets: ClientSecrets;
  readonly embedUrlOf: EmbedUrlOf;
  /** Whom the challenge document may frame and post to: any bank in live mode, the simulator's in test mode. */
  readonly bankOrigins: (owner: Owner) => readonly string[];
};
