import type { Id } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";
import type { UnderwritingDeps } from "../underwriting/underwriting-deps.ts";

/** What the operator's desk needs of the world. */
export type OperatorDeps = UnderwritingDeps & {
  /** How long the acquirer has to answer. */
  readonly acquirerTimeoutMs: number;
  /** Whether there is a mail server; without one, mail waits where it is read (the demo's outbox), and is not late. */
  readonly sendsMail: boolean;
  /** Begins the inquiries about what was given up anew; false where nothing waits for it any more. */
  readonly askAgain: (owner: Owner, id: Id<"ch" | "op">) => Promise<boolean>;
  /** True when sensitive changes need a second operator's confirmation. */
  readonly fourEyes: boolean;
  /** The hour in UTC of the daily search for card data outside the vault. Null: turned off. */
  readonly cardSearchHour: number | null;
  /** Looks for a run of the checker that was asked for. */
  readonly wakeChecker: () => void;
};
