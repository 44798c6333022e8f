import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { readingMe } from "./me.ts";
import { ApiProblem } from "./problem.ts";
import { sessionEnded } from "./session-ended.ts";

/** What was read stays on the page for as long as it takes to read it again. */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noticeWhoIsThere }),
  mutationCache: new MutationCache({ onError: noticeWhoIsThere }),
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

/** What a refusal may say about who is signed in in this browser. */
function noticeWhoIsThere(error: unknown): void {
  if (!(error instanceof ApiProblem)) return;
  const isKnown = queries.getQueryData(readingMe.queryKey) !== undefined;
  // Whoever was known was asked over the page (`sign-in-again.ts`), and has closed that to look at the page.
  if (error.code === "sign_in_required" && !isKnown) sessionEnded();
  // To somebody else, who has signed in in another tab, this account does not exist.
  if (error.status === 404 && isKnown) void queries.prefetchQuery({ ...readingMe, staleTime: 0 });
}
