import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import type { Api } from "./api.ts";
import { currentPage } from "./current-page.ts";
import { outcomeAfterFailure } from "./failed-outcome.ts";
import { newKey } from "./new-idempotency-key.ts";
import type { ApiProblem } from "./problem.ts";
import { useApi } from "./use-api.ts";

export type Operation<Input, Result> = {
  readonly run: (input: Input) => Promise<Result | null>;
  readonly pending: boolean;
  readonly problem: ApiProblem | null;
  readonly reset: () => void;
};

type Options<Result> = {
  /** Called with the response, after the cached data of the account was marked as stale. */
  readonly done?: (result: Result) => void;
  /** The path of the page to open after success, unless the person has already opened another page. */
  readonly next?: string;
};

/**
 * Performs a one-time operation, such as a refund. Uses the same Idempotency-Key until there is a definite response. A
 * second press after a lost connection therefore does not repeat the operation, even if the amount has changed. After
 * an error, resolves to null and sets `problem`.
 */
export function useOperation<Input, Result>(
  perform: (api: Api, input: Input, key: string) => Promise<Result>,
  { done, next }: Options<Result> = {},
): Operation<Input, Result> {
  const api = useApi();
  const client = useQueryClient();
  const key = useRef<string | null>(null);
  const inDoubt = useRef(false);
  const page = useRef<AbortSignal | null>(null);
  const navigate = useNavigate();
  const readAgain = () => client.invalidateQueries({ queryKey: [api.scope.account] });
  const forgetKey = () => {
    key.current = null;
    inDoubt.current = false;
  };
  const mutation = useMutation<Result, ApiProblem, Input>({
    mutationFn: (input) => {
      page.current = currentPage();
      key.current ??= newKey();
      return perform(api, input, key.current);
    },
    onSuccess: async (response) => {
      forgetKey();
      await readAgain();
      done?.(response);
      if (next !== undefined && !page.current?.aborted) void navigate({ to: next });
    },
    onError: async (problem) => {
      switch (outcomeAfterFailure(problem, inDoubt.current)) {
        case "unknown":
          inDoubt.current = true;
          void readAgain();
          return;
        case "completed_earlier":
          // Drop the key only after the page shows the earlier result. The next press is then a new operation.
          await readAgain();
          forgetKey();
          return;
        case "rejected":
          forgetKey();
      }
    },
  });
  return {
    run: (input) => mutation.mutateAsync(input).catch(() => null),
    pending: mutation.isPending,
    problem: mutation.error,
    reset: mutation.reset,
  };
}
