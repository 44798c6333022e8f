import { TriangleAlert } from "lucide-react";
import type { ApiProblem } from "../api/problem.ts";
import { Button } from "./button.tsx";

/** An error with the service's message, and the request ID for support. */
export function Problem({
  problem,
  retry,
  retrying = false,
}: {
  problem: ApiProblem;
  retry?: () => void;
  retrying?: boolean;
}) {
  return (
    <div role="alert" className="flex gap-3 rounded-md bg-negative-soft px-4 py-3 text-negative">
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <div className="grid min-w-0 gap-1">
        <p className="wrap-anywhere">{problem.message}</p>
        {problem.requestId && (
          <p className="font-mono text-xs break-all opacity-90">
            {problem.code} · {problem.requestId}
          </p>
        )}
        {retry && (
          <p className="mt-1">
            <Button small busy={retrying} onClick={retry}>
              Try again
            </Button>
          </p>
        )}
      </div>
    </div>
  );
}
