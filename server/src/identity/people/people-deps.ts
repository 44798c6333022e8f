import type { Clock } from "../../core/clock.ts";
import type { PersonId } from "../../core/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import type { AttemptLimiter } from "./attempt-limiter.ts";
import type { Passwords } from "./password.ts";

/** The dependencies of authentication. */
export type PeopleDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly guard: AttemptLimiter;
  readonly passwords: Passwords;
  readonly secrets: PersonSecrets;
  /** The origin at which people's browsers reach the dashboard. */
  readonly browserAddress: () => string;
  /** False without a mail server. Email addresses then cannot be confirmed. */
  readonly canMail: boolean;
};

/**
 * Encrypts or hashes credentials with a key outside the database, so that a copy of the database does not reveal
 * them.
 */
export type PersonSecrets = {
  /** Encrypts the secret of an authenticator app. */
  encrypt(person: PersonId, secret: Buffer): Promise<Buffer>;
  decrypt(person: PersonId, ciphertext: Buffer): Promise<Buffer>;
  /** Returns a hash under a key that is not in the database. */
  mac(text: string): Promise<Buffer>;
};
