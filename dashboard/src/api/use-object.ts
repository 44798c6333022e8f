import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import type { Api, Query } from "./api.ts";
import type { ApiProblem } from "./problem.ts";
import { useApi } from "./use-api.ts";

/** Returns a query, cached under account, mode and path, so that an operation can invalidate it. */
export function reading<Answer>(api: Api, path: string, query: Query = {}, asOf?: number) {
  return queryOptions<Answer, ApiProblem>({
    queryKey: [api.scope.account, api.scope.mode, path, query, asOf],
    queryFn: ({ signal }) => api.get<Answer>(path, query, signal),
  });
}

type Options<Answer> = {
  /** Returns the delay in milliseconds before the next read of an unfinished object, or null when it is final. */
  readonly againMs?: (answer: Answer) => number | null;
  /** The version of the object in question. A new version triggers a new read, during which the old data stays. */
  readonly asOf?: number;
};

/** Reads one object or any other whole resource. With null as the path, reads nothing. */
export function useObject<Answer>(
  path: string | null,
  query: Query = {},
  { againMs, asOf }: Options<Answer> = {},
) {
  const api = useApi();
  const interval = ({ state }: { state: { data: Answer | undefined } }) =>
    (againMs && state.data !== undefined && againMs(state.data)) || false;
  return useQuery<Answer, ApiProblem>({
    ...reading<Answer>(api, path ?? "", query, asOf),
    enabled: path !== null,
    refetchInterval: interval,
    ...(asOf !== undefined && { placeholderData: keepPreviousData }),
  });
}
