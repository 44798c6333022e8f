import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { readingMe } from "./me.ts";
import { ApiProblem } from "./problem.ts";
import { sessionEnded } from "./session-ended.ts";

/** The query cache. Data stays on the page while it is read again. */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noticeWhoIsThere }),
  mutationCache: new MutationCache({ onError: noticeWhoIsThere }),
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

/** Updates the sign-in state after an error that shows a change of it. */
function noticeWhoIsThere(error: unknown): void {
  if (!(error instanceof ApiProblem)) return;
  const isKnown = queries.getQueryData(readingMe.queryKey) !== undefined;
  // A person known to this page closed the dialog of `sign-in-again.ts` to see the page.
  if (error.code === "sign_in_required" && !isKnown) sessionEnded();
  // If another person signed in in another tab, this account does not exist for them.
  if (error.status === 404 && isKnown) void queries.prefetchQuery({ ...readingMe, staleTime: 0 });
}
