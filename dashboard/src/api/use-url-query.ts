import { useNavigate, useSearch } from "@tanstack/react-router";

export type UrlQuery = Readonly<Record<string, string | undefined>>;

/**
 * Returns the query of the page's URL (filters, cursors, open tabs) and a function that changes it. With this state in
 * the URL, a shared link opens the same view. Each change adds a history entry, except while the person types.
 */
export function useUrlQuery(): [
  UrlQuery,
  (changes: UrlQuery, options?: { replace: boolean }) => void,
] {
  const query = useSearch({ strict: false }) as UrlQuery;
  const navigate = useNavigate();
  const change = (changes: UrlQuery, { replace } = { replace: false }) => {
    const next = Object.entries({ ...query, ...changes }).filter(([, value]) => value);
    void navigate({ to: ".", search: () => Object.fromEntries(next), replace } as never);
  };
  return [query, change];
}
