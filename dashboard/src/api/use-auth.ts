import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { auth } from "./auth.ts";
import type { ApiProblem } from "./problem.ts";
import { asProblem } from "./problem.ts";

/** Something of the person who is signed in, whatever account they look at. */
export function useMine<Answer>(path: string) {
  return useQuery<Answer, ApiProblem>({
    queryKey: ["mine", path],
    queryFn: () => auth.get<Answer>(path),
  });
}

/** Something at the door of people that is done once. What was read of the person is read again afterwards. */
export function useAuthAct<Input, Answer>(
  act: (input: Input) => Promise<Answer>,
  done?: (answer: Answer) => void,
) {
  const client = useQueryClient();
  const mutation = useMutation<Answer, ApiProblem, Input>({
    mutationFn: (input) =>
      act(input).catch((error: unknown) => {
        throw asProblem(error);
      }),
    onSuccess: async (answer) => {
      done?.(answer);
      await Promise.all([
        client.invalidateQueries({ queryKey: ["me"] }),
        client.invalidateQueries({ queryKey: ["mine"] }),
      ]);
    },
  });
  return {
    run: (input: Input) => mutation.mutateAsync(input).catch(() => null),
    pending: mutation.isPending,
    problem: mutation.error,
    forget: mutation.reset,
  };
}
