import type { PersonId } from "../../core/ids.ts";

/**
 * Folds the case of an email address, so that all its spellings compare equal. Postgres must not do this: it folds
 * some letters differently (İ to i), and attempts must be counted for all spellings together.
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
  /** True for an operator, who runs the service and approves merchants. */
  readonly operator: boolean;
};
