import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import type { Api, Query } from "./api.ts";
import { useApi } from "./here.ts";
import type { ApiProblem } from "./problem.ts";

/** How anything is read: kept under the account, the mode, and the path, so that an act can say what it changed. */
export function reading<Answer>(api: Api, path: string, query: Query = {}, asOf?: number) {
  return queryOptions<Answer, ApiProblem>({
    queryKey: [api.scope.account, api.scope.mode, path, query, asOf],
    queryFn: ({ signal }) => api.get<Answer>(path, query, signal),
  });
}

type Options<Answer> = {
  /** In how many milliseconds to read again what is still moving; null for what stands. */
  readonly againMs?: (answer: Answer) => number | null;
  /** The version of what it tells about: at the next one it is read again, and shown on until then. */
  readonly asOf?: number;
};

/** One object, or anything else that is read whole. Null: do not read. */
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
