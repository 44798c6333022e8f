import { randomUUID } from "node:crypto";
import type { Database } from "../../database/database.ts";
import type { Clock } from "../../primitives/clock.ts";
import { type DisputeAnswer, type DisputeNotice, evidenceWindowMs } from "../processor.ts";
import type { Key } from "./authorization.ts";
import {
  claimCaseNews,
  decideCase,
  insertCase,
  isCaseTold,
  markCaseAnswered,
  markCaseTold,
} from "./case.sql.ts";
import type { CasePlan } from "./case-plan.ts";

/** The simulated card network's disputes. */
export type Cases = {
  /** Writes down what the card will make of the payment. */
  plan(about: Key, plan: CasePlan): Promise<void>;
  /** Opens a case at the next news; answers its number. */
  open(about: Key, wanted: CasePlan & { readonly amountMinor: number | null }): Promise<string>;
  /** Decides by what the evidence says; whoever gives in has lost. */
  answer(answer: DisputeAnswer): Promise<{ readonly kind: "received" }>;
  decide(
    which: Pick<DisputeAnswer, "account" | "networkCase">,
    outcome: "won" | "lost",
  ): Promise<boolean>;
  tell(): Promise<number>;
  isTold(which: Pick<DisputeAnswer, "account" | "networkCase">): Promise<boolean>;
};

/** Whoever has not confirmed the news by then is told again. */
const confirmWithinMs = 5_000;

export function openCases(deps: {
  readonly database: Database;
  readonly clock: Clock;
  readonly opensAfterMs: number;
  readonly onNotice: (notice: DisputeNotice) => Promise<void>;
}): Cases {
  const { database, clock, opensAfterMs, onNotice } = deps;

  async function decide(which: Parameters<Cases["decide"]>[0], outcome: "won" | "lost") {
    return database.transaction((tx) => decideCase(tx, which, outcome, clock.now()));
  }

  return {
    async plan(about, plan) {
      const opensAt = new Date(clock.now().getTime() + opensAfterMs);
      // One for each payment: its number is the payment's own.
      const planned = { ...plan, id: about.reference, about, amountMinor: null, opensAt };
      await database.transaction((tx) => insertCase(tx, planned));
    },

    async open(about, wanted) {
      const id = randomUUID();
      const planned = { ...wanted, id, about, opensAt: clock.now() };
      await database.transaction((tx) => insertCase(tx, planned));
      return id;
    },

    async answer(answer) {
      const { evidence } = answer;
      if (evidence === null || evidence.includes("losing_evidence")) await decide(answer, "lost");
      else if (evidence.includes("winning_evidence")) await decide(answer, "won");
      else await database.transaction((tx) => markCaseAnswered(tx, answer));
      return { kind: "received" };
    },

    decide,

    async tell() {
      const now = clock.now();
      const until = new Date(now.getTime() + confirmWithinMs);
      const escalatesAt = new Date(now.getTime() + evidenceWindowMs);
      const news = await database.transaction((tx) => claimCaseNews(tx, now, until, escalatesAt));
      for (const notice of news) {
        const told = await onNotice(notice).then(
          () => true,
          () => false,
        );
        // Whoever did not take it is told again.
        if (told) await database.transaction((tx) => markCaseTold(tx, notice));
      }
      return news.length;
    },

    isTold: (which) => isCaseTold(database.read, which),
  };
}
