import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import type { Api, Query } from "./api.ts";
import type { ApiProblem } from "./problem.ts";
import { useApi } from "./use-api.ts";

/**
 * Returns a query with account, mode and path in its cache key, so that an operation can invalidate the whole account.
 */
export function reading<Result>(api: Api, path: string, query: Query = {}, asOf?: number) {
  return queryOptions<Result, ApiProblem>({
    queryKey: [api.scope.account, api.scope.mode, path, query, asOf],
    queryFn: ({ signal }) => api.get<Result>(path, query, signal),
  });
}

type Options<Result> = {
  /** Returns the delay before the next read in milliseconds, or null if the object is final. */
  readonly againMs?: (result: Result) => number | null;
  /** The version of the object. A new version triggers a refetch, during which the old data stays visible. */
  readonly asOf?: number;
};

/** Reads one resource that is not a paginated list. Reads nothing if the path is null. */
export function useObject<Result>(
  path: string | null,
  query: Query = {},
  { againMs, asOf }: Options<Result> = {},
) {
  const api = useApi();
  const interval = ({ state }: { state: { data: Result | undefined } }) =>
    (againMs && state.data !== undefined && againMs(state.data)) || false;
  return useQuery<Result, ApiProblem>({
    ...reading<Result>(api, path ?? "", query, asOf),
    enabled: path !== null,
    refetchInterval: interval,
    ...(asOf !== undefined && { placeholderData: keepPreviousData }),
  });
}
