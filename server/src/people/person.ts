import type { PersonId } from "../primitives/ids.ts";

/**
 * Addresses are one whatever their case. This alone says so: Postgres has letters that it takes for others and we do not
 * (İ for i), and what is counted for an address must be counted for all of its spellings.
 */
export function foldAddress(email: string): string {
  return email.toLowerCase();
}

/** Somebody who signs in. What they may do for a merchant is said by their membership, not here. */
export type Person = {
  readonly id: PersonId;
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
  /** Runs the service, and so approves merchants. */
  readonly operator: boolean;
};
