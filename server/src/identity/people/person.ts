import type { PersonId } from "../../core/ids.ts";

/**
 * Folds case, so that all spellings of an address are one. Only this function does so. Postgres folds some letters
 * differently (İ to i), and the attempts with an address must be counted for all of its spellings.
 */
export function normalizeEmail(email: string): string {
  return email.toLowerCase();
}

/** A person who can sign in. Their permissions for a merchant are in their membership. */
export type Person = {
  readonly id: PersonId;
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
  /** An operator runs the service, and so approves merchants. */
  readonly operator: boolean;
};
