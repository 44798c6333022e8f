import type { CheckerRun } from "@florin/contract/operator.ts";
import { useAdminOperation, useAdminQuery } from "../../api/admin.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { LoadError } from "../../components/load-error.tsx";
import { Notice } from "../../components/notice.tsx";
import { Panel } from "../../components/panel.tsx";
import { Problem } from "../../components/problem.tsx";

/** Starts consistency checks over all stored data, and shows their results. */
export function CheckerRuns() {
  const { data, error } = useAdminQuery<{ data: CheckerRun[] }>("/checker_runs", {}, 3_000);
  const operation = useAdminOperation<object>("/checker_runs");
  const runs = data?.data ?? [];
  const open = runs.find(({ status }) => status === "waiting" || status === "running");
  return (
    <Panel
      title="Consistency checks"
      actions={
        <Button
          small
          busy={operation.pending || open !== undefined}
          onClick={() => void operation.run({})}
        >
          Run checks
        </Button>
      }
    >
      <div className="grid gap-4">
        <p className="text-ink-soft">
          Compares charges, ledger, events, deliveries and the acquirer’s records. The checks only
          read data and can take several minutes.
        </p>
        {error && <LoadError problem={error} />}
        {operation.problem && <Problem problem={operation.problem} />}
        {runs.map((run) => (
          <Run key={run.id} run={run} />
        ))}
      </div>
    </Panel>
  );
}

function Run({ run }: { run: CheckerRun }) {
  const { report, error, requested_at, requested_by, status } = run;
  return (
    <details className="border-t border-line pt-3">
      <summary className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <DateTime at={requested_at} />
        <Outcome run={run} />
        <span className="text-sm text-ink-soft">requested by {requested_by}</span>
      </summary>
      <div className="mt-3 grid gap-2">
        {error && <Notice tone="negative">{error}</Notice>}
        {!report && !error && (
          <p className="text-ink-soft">
            {status === "running" ? "The checks are running." : "The checks start in a moment."}
          </p>
        )}
        {report?.results.map(({ name, invariant, examined, violations, sentences }) => (
          <div key={name} className="text-sm">
            <p>
              <Badge tone={violations === 0 ? "positive" : "negative"}>
                {violations === 0 ? "Passed" : violationsText(violations)}
              </Badge>{" "}
              {invariant} <span className="text-ink-faint">({examined} checked)</span>
            </p>
            {sentences.map((sentence) => (
              <p key={sentence} className="pl-4 break-words text-negative">
                {sentence}
              </p>
            ))}
          </div>
        ))}
      </div>
    </details>
  );
}

function violationsText(count: number): string {
  return count === 1 ? "1 violation" : `${count} violations`;
}
function Outcome({ run: { report, status } }: { run: CheckerRun }) {
  if (status === "failed") return <Badge tone="negative">Failed</Badge>;
  if (!report) return <Badge tone="info">{status === "running" ? "Running" : "Waiting"}</Badge>;
  return report.violations === 0 ? (
    <Badge tone="positive">All checks passed</Badge>
  ) : (
    <Badge tone="negative">{violationsText(report.violations)}</Badge>
  );
}
