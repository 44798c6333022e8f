import type { Membership } from "@florin/contract/person.ts";
import type { Database } from "../database/database.ts";
import type { Sql, Tx } from "../database/sql.ts";
import type { Clock } from "../primitives/clock.ts";
import type { PersonId } from "../primitives/ids.ts";
import type { Guard } from "./guard.ts";
import type { Passwords } from "./password.ts";

/** What proving who one is needs. What lies below people in the order of the slices is handed in. */
export type PeopleDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly guard: Guard;
  readonly passwords: Passwords;
  readonly secrets: PersonSecrets;
  /** Where people's browsers find the dashboard: an origin. */
  readonly browserAddress: () => string;
  /** False where mail would go nowhere: then nobody can prove that an address is theirs. */
  readonly canMail: boolean;
  readonly membershipsOf: (read: Sql, person: PersonId) => Promise<readonly Membership[]>;
  /** Makes a merchant whose owner the person is. */
  readonly openMerchant: (tx: Tx, founder: Founder, merchant: NewMerchant) => Promise<void>;
};

/** Somebody who signs up, and from where. */
export type Founder = { readonly id: PersonId; readonly email: string; readonly ip: string };

export type NewMerchant = { readonly name: string; readonly country: string };

/** Keeps what a person must be able to prove, so that a copy of the database is not enough to prove it. */
export type PersonSecrets = {
  /** The secret of an authenticator app. */
  seal(person: PersonId, secret: Buffer): Promise<Buffer>;
  open(person: PersonId, sealed: Buffer): Promise<Buffer>;
  /** A hash under a key that is not in the database. */
  mac(text: string): Promise<Buffer>;
};
