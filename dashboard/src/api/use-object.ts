import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Api, Query } from "./api.ts";
import { useApi } from "./here.ts";
import type { ApiProblem } from "./problem.ts";

/** How anything is read: kept under the account, the mode, and the path, so that an act can say what it changed. */
export function reading<Answer>(api: Api, path: string, query: Query = {}) {
  return queryOptions<Answer, ApiProblem>({
    queryKey: [api.scope.account, api.scope.mode, path, query],
    queryFn: ({ signal }) => api.get<Answer>(path, query, signal),
  });
}

/** One object, or anything else that is read whole. Null: do not read. */
export function useObject<Answer>(path: string | null, query: Query = {}) {
  const api = useApi();
  return useQuery({ ...reading<Answer>(api, path ?? "", query), enabled: path !== null });
}
