import type { Report } from "./verify.ts";

/** Formats the report for the operator: one line for each check, followed by its violations. */
export function printReport(report: Report): string {
  const { results, open, violations, durationMs, since, omitted } = report;
  const scope = since
    ? [
        `Only rows created since ${since.toISOString()} and the objects that they belong to were examined.`,
        `Not checked: ${omitted.join(", ")}.`,
        "",
      ]
    : [];
  const lines = results.flatMap(({ name, invariant, examined, violations: found, sentences }) => [
    `${found === 0 ? "ok  " : "FAIL"}  ${invariant}  (${name}: ${examined} examined${found === 0 ? "" : `, ${countOf(found)}`})`,
    ...sentences.map((sentence) => `        ${sentence}`),
    ...(found > sentences.length ? [`        … and ${found - sentences.length} more.`] : []),
  ]);
  const unresolved =
    `Unresolved charges waiting for a status inquiry: ${open.awaitingInquiry} (approved at the acquirer: ${open.approvedAtAcquirer}). ` +
    `Waiting for the cardholder: ${open.waitingForCardholder}. Waiting for a manual review: ${open.manualReview}.`;
  const end = violations === 0 ? "No violations." : `${countOf(violations)}.`;
  return [...scope, ...lines, "", unresolved, `${end} (${(durationMs / 1000).toFixed(1)} s)`].join(
    "\n",
  );
}

function countOf(violations: number): string {
  return violations === 1 ? "1 violation" : `${violations} violations`;
}
