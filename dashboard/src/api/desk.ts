import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Query, queryText } from "./api.ts";
import type { ApiProblem } from "./problem.ts";
import { send } from "./send.ts";
import type { Act } from "./use-act.ts";

/** The operator's desk has a door of its own, for whoever runs the service; no account and no mode go with it. */
export function deskPath(path: string, query: Query = {}): string {
  return `/operator/v1${path}${queryText(query)}`;
}

/** Reads something of the desk, and again from time to time while somebody looks at it. */
export function useDesk<Answer>(path: string, query: Query = {}, everyMs?: number) {
  return useQuery<Answer, ApiProblem>({
    queryKey: ["desk", path, query],
    queryFn: ({ signal }) => send<Answer>({ method: "GET", path: deskPath(path, query), signal }),
    placeholderData: keepPreviousData,
    ...(everyMs && { refetchInterval: everyMs }),
  });
}

/** Does something at the desk. Afterwards all that stands there is read again. */
export function useDeskAct<Input extends object, Answer = unknown>(
  path: string,
  { done }: { readonly done?: (answer: Answer) => void } = {},
): Act<Input, Answer> {
  const client = useQueryClient();
  const mutation = useMutation<Answer, ApiProblem, Input>({
    mutationFn: (body) => send<Answer>({ method: "POST", path: deskPath(path), body }),
    onSuccess: async (answer) => {
      await client.invalidateQueries({ queryKey: ["desk"] });
      done?.(answer);
    },
  });
  return {
    run: (input) => mutation.mutateAsync(input).catch(() => null),
    pending: mutation.isPending,
    problem: mutation.error,
    forget: mutation.reset,
  };
}
