import type { Report } from "./verify.ts";

/** Formats the report for the operator: one line for each check, followed by its violations. */
export function printReport({ results, open, violations, durationMs }: Report): string {
  const lines = results.flatMap(({ name, proves, examined, violations: found, sentences }) => [
    `${found === 0 ? "ok  " : "FAIL"}  ${proves}  (${name}: ${examined} examined${found === 0 ? "" : `, ${found} wrong`})`,
    ...sentences.map((sentence) => `        ${sentence}`),
    ...(found > sentences.length ? [`        … and ${found - sentences.length} more.`] : []),
  ]);
  const undecided =
    `Undecided: ${open.asked} charges are asked about (${open.approvedAtAcquirer} approved at the acquirer ` +
    `already), ${open.waitingForCardholder} wait for their cardholder, ${open.manualReview} for a person.`;
  const end = violations === 0 ? "Everything holds." : `${violations} violations.`;
  return [...lines, "", undecided, `${end} (${(durationMs / 1000).toFixed(1)} s)`].join("\n");
}
