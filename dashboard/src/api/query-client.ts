import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiProblem } from "./problem.ts";
import { sessionEnded } from "./session-ended.ts";
import { readingMe } from "./signed-in-person.ts";

/** Caches API reads. Pages show cached data during a refetch. */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: updateSignInState }),
  mutationCache: new MutationCache({ onError: updateSignInState }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // `send` has already retried temporary failures.
      retry: false,
      throwOnError: (error) => !(error instanceof ApiProblem),
    },
    mutations: { retry: false },
  },
});

/** Redirects to the sign-in page, or refetches the signed-in person, if the error suggests that the session changed. */
function updateSignInState(error: unknown): void {
  if (!(error instanceof ApiProblem)) return;
  const isKnown = queries.getQueryData(readingMe.queryKey) !== undefined;
  // Redirects only if the cache contains no signed-in person. If it contains one, the person has already closed the
  // dialog of `sign-in-again.ts` to keep the current page open.
  if (error.code === "sign_in_required" && !isKnown) sessionEnded();
  // After a different person signs in in another tab, requests for this account return 404.
  if (error.status === 404 && isKnown) void queries.prefetchQuery({ ...readingMe, staleTime: 0 });
}
