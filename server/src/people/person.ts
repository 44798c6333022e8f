import type { PersonId } from "../primitives/ids.ts";

/** Somebody who signs in. What they may do for a merchant is said by their membership, not here. */
export type Person = {
  readonly id: PersonId;
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
  /** Runs the service, and so approves merchants. */
  readonly operator: boolean;
};
