import type { RiskLevel } from "@florin/contract/charge.ts";

/** Returns the risk level of a score, with the bounds common to card APIs: up to 64 normal, from 75 highest. */
export function riskLevel(score: number): RiskLevel {
  if (score >= 75) return "highest";
  return score >= 65 ? "elevated" : "normal";
}
