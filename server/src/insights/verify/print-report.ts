import type { Report } from "./verify.ts";

/** Formats the report for the operator: one line for each check, followed by its violations. */
export function printReport({ results, open, violations, durationMs }: Report): string {
  const lines = results.flatMap(({ name, invariant, examined, violations: found, sentences }) => [
    `${found === 0 ? "ok  " : "FAIL"}  ${invariant}  (${name}: ${examined} examined${found === 0 ? "" : `, ${found} violations`})`,
    ...sentences.map((sentence) => `        ${sentence}`),
    ...(found > sentences.length ? [`        … and ${found - sentences.length} more.`] : []),
  ]);
  const unresolved =
    `Unresolved charges: ${open.awaitingInquiry} wait for a status inquiry (${open.approvedAtAcquirer} of them approved at the ` +
    `acquirer), ${open.waitingForCardholder} for the cardholder, and ${open.manualReview} for a manual review.`;
  const end = violations === 0 ? "No violations." : `${violations} violations.`;
  return [...lines, "", unresolved, `${end} (${(durationMs / 1000).toFixed(1)} s)`].join("\n");
}
