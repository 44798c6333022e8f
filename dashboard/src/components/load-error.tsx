import { type QueryFilters, useIsFetching, useQueryClient } from "@tanstack/react-query";
import type { ApiProblem } from "../api/problem.ts";
import { Problem } from "./problem.tsx";

const failed: QueryFilters = { type: "active", predicate: ({ state }) => state.status === "error" };

/** The error of a failed read. The retry button repeats all failed reads of the page, which usually fail together. */
export function LoadError({ problem }: { problem: ApiProblem }) {
  const client = useQueryClient();
  const retrying = useIsFetching(failed) > 0;
  const retry = () => void client.refetchQueries(failed);
  return problem.isRetryable ? (
    <Problem problem={problem} retry={retry} retrying={retrying} />
  ) : (
    <Problem problem={problem} />
  );
}
