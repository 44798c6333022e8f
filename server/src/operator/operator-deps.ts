import type { UnderwritingDeps } from "../underwriting/underwriting-deps.ts";

/** What the operator's desk needs of the world. */
export type OperatorDeps = UnderwritingDeps & {
  /** How long the acquirer has to answer. */
  readonly acquirerTimeoutMs: number;
  /** Whether there is a mail server; without one, mail waits where it is read (the demo's outbox), and is not late. */
  readonly sendsMail: boolean;
  /** Looks for a run of the checker that was asked for. */
  readonly wakeChecker: () => void;
};
