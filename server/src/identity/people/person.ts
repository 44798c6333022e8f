import type { PersonId } from "../../core/ids.ts";

/**
 * Folds the case of an email address for a comparison. Postgres must not decide alone whether two addresses are the same:
 * it folds some letters differently (İ to i), and a person could then sign in with a spelling whose attempts are counted
 * separately.
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
