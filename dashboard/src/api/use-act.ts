import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import type { Api } from "./api.ts";
import { useApi } from "./here.ts";
import type { ApiProblem } from "./problem.ts";

export type Act<Input, Answer> = {
  readonly run: (input: Input) => Promise<Answer | null>;
  readonly pending: boolean;
  readonly problem: ApiProblem | null;
  readonly forget: () => void;
};

type Options<Answer> = {
  /** Called with the answer, after all that stands on the page was marked as out of date. */
  readonly done?: (answer: Answer) => void;
};

/**
 * Something a person does once, such as a refund. As long as it has no definite answer it keeps its Idempotency-Key, so
 * that pressing the button again after a lost connection does not do it twice. Resolves to null where it was refused;
 * `problem` says why.
 */
export function useAct<Input, Answer>(
  act: (api: Api, input: Input, key: string) => Promise<Answer>,
  { done }: Options<Answer> = {},
): Act<Input, Answer> {
  const api = useApi();
  const client = useQueryClient();
  const key = useRef<string | null>(null);
  const mutation = useMutation<Answer, ApiProblem, Input>({
    mutationFn: (input) => {
      key.current ??= crypto.randomUUID();
      return act(api, input, key.current);
    },
    onSuccess: async (answer) => {
      key.current = null;
      await client.invalidateQueries({ queryKey: [api.scope.account] });
      done?.(answer);
    },
    onError: ({ status }) => {
      // Refused for good: the next try is another intention. Without an answer it may have been done.
      if (status >= 400 && status < 500) key.current = null;
    },
  });
  return {
    run: (input) => mutation.mutateAsync(input).catch(() => null),
    pending: mutation.isPending,
    problem: mutation.error,
    forget: mutation.reset,
  };
}
