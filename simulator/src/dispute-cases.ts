import { createHash, randomUUID } from "node:crypto";
import {
  type DisputeAnswer,
  type DisputeNotification,
  type DisputeResponse,
  type DocumentLimits,
  type EvidenceFile,
  evidenceWindowMs,
} from "@florin/server/acquiring/processor.ts";
import type { Clock } from "@florin/server/core/clock.ts";
import type { Database } from "@florin/server/platform/database/database.ts";
import type { Key } from "./authorization.ts";
import {
  claimCaseNotifications,
  decideCase,
  insertCase,
  isCaseNotified,
  markCaseNotified,
  type ReceivedFile,
  recordEvidence,
} from "./dispute-case.sql.ts";
import type { CasePlan } from "./planned-dispute.ts";

/** The disputes of the simulated card network. */
export type DisputeCases = {
  /** Stores the dispute that the test card causes for the payment. */
  plan(about: Key, plan: CasePlan): Promise<void>;
  /** Creates a dispute whose notification is due immediately. Returns its case number. */
  open(about: Key, wanted: CasePlan & { readonly amountMinor: number | null }): Promise<string>;
  /**
   * Handles the merchant's response. A dispute that the merchant accepts is lost, and a dispute whose amount the
   * merchant refunds is won. The text of evidence can also decide the dispute.
   */
  respond(response: DisputeResponse): Promise<{ readonly kind: "received" }>;
  decide(
    which: Pick<DisputeResponse, "account" | "networkCase">,
    outcome: "won" | "lost",
  ): Promise<boolean>;
  sendNotifications(): Promise<number>;
  isNotified(which: Pick<DisputeResponse, "account" | "networkCase">): Promise<boolean>;
};

/** The limits of the evidence. They equal those of a Mastercard chargeback at Adyen. */
export const evidenceLimits: DocumentLimits = { maxPages: 19, maxBytes: 2_000_000 };

/** Returns the decision that the response causes, or null if the network decides later. */
function outcomeOf(answer: DisputeAnswer): "won" | "lost" | null {
  if (answer.kind === "accepted") return "lost";
  if (answer.kind === "refunded") return "won";
  const text = Object.values(answer.evidence).join("\n");
  if (text.includes("losing_evidence")) return "lost";
  return text.includes("winning_evidence") ? "won" : null;
}

function recordOf({ name, mediaType, content }: EvidenceFile): ReceivedFile {
  const sha256 = createHash("sha256").update(content).digest("hex");
  return { name, media_type: mediaType, size: content.length, sha256 };
}

/** The time after which an unconfirmed notification is sent again. */
const retryAfterMs = 5_000;

export function createDisputeCases(deps: {
  readonly database: Database;
  readonly clock: Clock;
  readonly opensAfterMs: number;
  readonly onNotification: (notification: DisputeNotification) => Promise<void>;
}): DisputeCases {
  const { database, clock, opensAfterMs, onNotification } = deps;

  async function decide(which: Parameters<DisputeCases["decide"]>[0], outcome: "won" | "lost") {
    return database.autocommit((tx) => decideCase(tx, which, outcome, clock.now()));
  }

  return {
    async plan(about, plan) {
      const opensAt = new Date(clock.now().getTime() + opensAfterMs);
      // The case number is the payment's reference, so that a payment has at most one planned dispute.
      const planned = { ...plan, id: about.reference, about, amountMinor: null, opensAt };
      await database.autocommit((tx) => insertCase(tx, planned));
    },

    async open(about, wanted) {
      const id = randomUUID();
      const planned = { ...wanted, id, about, opensAt: clock.now() };
      await database.autocommit((tx) => insertCase(tx, planned));
      return id;
    },

    async respond(response) {
      const { answer } = response;
      const outcome = outcomeOf(answer);
      const files = answer.kind === "evidence" ? answer.files.map(recordOf) : [];
      await database.autocommit((tx) => recordEvidence(tx, response, files, !outcome));
      if (outcome) await decide(response, outcome);
      return { kind: "received" };
    },

    decide,

    async sendNotifications() {
      const now = clock.now();
      const until = new Date(now.getTime() + retryAfterMs);
      const escalatesAt = new Date(now.getTime() + evidenceWindowMs);
      const claimed = await database.autocommit((tx) =>
        claimCaseNotifications(tx, now, until, escalatesAt),
      );
      for (const notification of claimed) {
        const delivered = await onNotification(notification).then(
          () => true,
          () => false,
        );
        // A notification that the service rejected is claimed again later.
        if (delivered) await database.autocommit((tx) => markCaseNotified(tx, notification));
      }
      return claimed.length;
    },

    isNotified: (which) => isCaseNotified(database.read, which),
  };
}
