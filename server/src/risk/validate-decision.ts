import type { DecisionOutcome } from "@florin/contract/decision.ts";
import { ApiError, noSuchParameter } from "../core/api-error.ts";
import type { Clock } from "../core/clock.ts";
import { type DecisionId, type PaymentMethodId, parseId } from "../core/ids.ts";
import type { Money } from "../core/money.ts";
import type { Scope } from "../core/scope.ts";
import type { Database } from "../platform/database/database.ts";
import { type Assessment, networkBlock } from "./assess.ts";
import { readDecision } from "./decision.sql.ts";
import { type Decision, decisionStatus } from "./decision.ts";

/**
 * Returns the decision that a merchant requested for a charge. Rejects a decision that is expired, already used,
 * superseded or waiting for review, or that is for another amount, currency or payment method. A unique index rejects
 * the second of two concurrent charges with the same decision.
 */
export async function validateDecision(
  deps: { database: Database; clock: Clock },
  scope: Scope,
  text: string,
  charge: { price: Money; paymentMethod: PaymentMethodId },
): Promise<{ id: DecisionId; assessment: Assessment }> {
  const id = parseId("dec", text);
  const decision = id && (await readDecision(deps.database.read, scope, id));
  if (!decision) throw noSuchParameter("decision", text, "decision_id");
  assertActive(decision, deps.clock.now());
  rejectMismatch(decision, charge);
  const { score, reasons, details } = decision;
  const verdict = verdictOf(decision);
  const authenticate = decision.authenticate && verdict !== "decline";
  return {
    id,
    assessment: { verdict, authenticate, score, reasons, details, ...networkBlock(reasons) },
  };
}

function assertActive(decision: Decision, now: Date): void {
  const status = decisionStatus(decision, now);
  if (status === "used") {
    throw rejection(
      "decision_already_used",
      `The decision '${decision.id}' was used by the charge '${decision.chargeId}'. You can use a decision only once. Request a new one.`,
    );
  }
  if (status === "superseded") {
    throw rejection(
      "decision_superseded",
      `The decision '${decision.id}' was superseded by a newer decision for the same payment. Use the newer decision.`,
    );
  }
  if (status === "expired") {
    throw rejection(
      "decision_expired",
      `The decision '${decision.id}' has expired. Request a new one and create the charge within 30 minutes.`,
    );
  }
}

function rejectMismatch(
  decision: Decision,
  { price, paymentMethod }: { price: Money; paymentMethod: PaymentMethodId },
): void {
  const differs = [
    decision.price.amountMinor === price.amountMinor ? null : "amount",
    decision.price.currency === price.currency ? null : "currency",
    decision.paymentMethodId === paymentMethod ? null : "payment_method_id",
  ].filter((name) => name !== null);
  if (differs.length === 0) return;
  throw rejection(
    "decision_mismatch",
    `The decision '${decision.id}' is for another ${differs.join(" and ")}. Charge exactly the payment for which you requested the decision, or request a new decision.`,
  );
}

/** Returns the outcome of a decision. An approved review counts as an approval. */
function verdictOf({ id, outcome, review, authenticate }: Decision): DecisionOutcome {
  if (outcome !== "review") return outcome;
  if (review === "declined") return "decline";
  if (review === "approved") return authenticate ? "challenge" : "approve";
  throw rejection(
    "decision_pending_review",
    `The decision '${id}' is waiting for review. Create the charge after a person has approved it.`,
  );
}

function rejection(
  code:
    | "decision_already_used"
    | "decision_expired"
    | "decision_superseded"
    | "decision_mismatch"
    | "decision_pending_review",
  message: string,
): ApiError {
  return new ApiError(code, message, { param: "decision_id" });
}
