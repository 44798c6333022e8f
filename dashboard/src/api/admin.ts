import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ListOf, type Query, queryText } from "./api.ts";
import type { ApiProblem } from "./problem.ts";
import { send } from "./send.ts";
import { type ListPage, usePageOfList } from "./use-list.ts";
import type { Operation } from "./use-operation.ts";
import { useUrlQuery } from "./use-url-query.ts";

/** Returns the path of an admin console request. The admin API has no account or mode in its paths. */
export function adminPath(path: string, query: Query = {}): string {
  return `/operator/v1${path}${queryText(query)}`;
}

/** Reads a resource of the admin API. With `everyMs`, refetches it at that interval while the page is open. */
export function useAdminQuery<Result>(path: string, query: Query = {}, everyMs?: number) {
  return useQuery<Result, ApiProblem>({
    queryKey: ["admin", path, query],
    queryFn: ({ signal }) => send<Result>({ method: "GET", path: adminPath(path, query), signal }),
    placeholderData: keepPreviousData,
    ...(everyMs && { refetchInterval: everyMs }),
  });
}

/** Reads one page of a list of the admin API. The cursor is in the query of the page's URL. */
export function useAdminList<Item extends { readonly id: string }>(
  path: string,
  query: Query = {},
): ListPage<Item> {
  const [address, change] = useUrlQuery();
  const { after, before } = address;
  const size = 25;
  const { data, isPending, isPlaceholderData, error } = useAdminQuery<ListOf<Item>>(path, {
    limit: size,
    ...query,
    ...(after && { starting_after: after }),
    ...(before && { ending_before: before }),
  });
  return usePageOfList({ data, isPending, isPlaceholderData, error, address, change, size });
}

/** Performs an operation of the admin API and then refetches the console's data. */
export function useAdminOperation<Input extends object, Result = unknown>(
  path: string,
  {
    method = "POST",
    done,
  }: {
    readonly method?: "POST" | "PUT" | "PATCH";
    readonly done?: (result: Result) => void;
  } = {},
): Operation<Input, Result> {
  const client = useQueryClient();
  const mutation = useMutation<Result, ApiProblem, Input>({
    mutationFn: (body) => send<Result>({ method, path: adminPath(path), body }),
    onSuccess: async (response) => {
      await client.invalidateQueries({ queryKey: ["admin"] });
      done?.(response);
    },
  });
  return {
    run: (input) => mutation.mutateAsync(input).catch(() => null),
    pending: mutation.isPending,
    problem: mutation.error,
    reset: mutation.reset,
  };
}
