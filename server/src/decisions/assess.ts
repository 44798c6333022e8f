import { unreachable } from "../primitives/unreachable.ts";
import type { CardTraits } from "../processors/processor.ts";

/** What is to be done with a payment, and why: the substance of every decision. */
export type Assessment = {
  readonly verdict: "approve" | "challenge" | "decline";
  /** 0 is harmless, 100 is the worst. */
  readonly score: number;
  readonly reasons: readonly string[];
};

/** Weighs what is known of the card before it is charged. Pure, so that a decision can be explained. */
export function assess({ risk, authentication }: CardTraits): Assessment {
  const verdict = authentication === "required" ? "challenge" : "approve";
  const challengeReasons = verdict === "challenge" ? ["card_requires_authentication"] : [];
  switch (risk) {
    case "normal":
      return { verdict, score: 10, reasons: challengeReasons };
    case "elevated":
      return { verdict, score: 68, reasons: ["card_risk_elevated", ...challengeReasons] };
    case "highest":
      return { verdict, score: 85, reasons: ["card_risk_highest", ...challengeReasons] };
    case "blocked":
      return { verdict: "decline", score: 99, reasons: ["card_blocked"] };
    default:
      return unreachable(risk);
  }
}
