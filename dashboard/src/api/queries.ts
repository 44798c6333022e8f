import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiProblem } from "./problem.ts";
import { sessionEnded } from "./session-ended.ts";

/** What was read stays on the page for as long as it takes to read it again. */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noticeEnd }),
  mutationCache: new MutationCache({ onError: noticeEnd }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // `send` has already tried what may pass.
      retry: false,
      throwOnError: (error) => !(error instanceof ApiProblem),
    },
    mutations: { retry: false },
  },
});

function noticeEnd(error: unknown): void {
  if (error instanceof ApiProblem && error.status === 401) sessionEnded();
}
