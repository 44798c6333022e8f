import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { auth } from "./auth.ts";
import type { ApiProblem } from "./problem.ts";
import { asProblem } from "./problem.ts";

/** Reads a resource of the signed-in person, independent of the account. */
export function useSignedInObject<Result>(path: string) {
  return useQuery<Result, ApiProblem>({
    queryKey: ["signed-in person", path],
    queryFn: () => auth.get<Result>(path),
  });
}

/** Performs a one-time operation of the authentication API and then refetches the person's data. */
export function useAuthOperation<Input, Result>(
  perform: (input: Input) => Promise<Result>,
  done?: (result: Result) => void,
) {
  const client = useQueryClient();
  const mutation = useMutation<Result, ApiProblem, Input>({
    mutationFn: (input) =>
      perform(input).catch((error: unknown) => {
        throw asProblem(error);
      }),
    onSuccess: async (response) => {
      done?.(response);
      await Promise.all([
        client.invalidateQueries({ queryKey: ["me"] }),
        client.invalidateQueries({ queryKey: ["signed-in person"] }),
      ]);
    },
  });
  return {
    run: (input: Input) => mutation.mutateAsync(input).catch(() => null),
    pending: mutation.isPending,
    problem: mutation.error,
    reset: mutation.reset,
  };
}
