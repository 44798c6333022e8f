import { useNavigate, useSearch } from "@tanstack/react-router";

export type AddressQuery = Readonly<Record<string, string | undefined>>;

/**
 * What stands behind the `?` of the address, as text: filters, cursors, open tabs. Whoever is sent the address sees the
 * same page. Changes go into the history unless they are a matter of typing.
 */
export function useAddressQuery(): [
  AddressQuery,
  (changes: AddressQuery, options?: { replace: boolean }) => void,
] {
  const query = useSearch({ strict: false }) as AddressQuery;
  const navigate = useNavigate();
  const change = (changes: AddressQuery, { replace } = { replace: false }) => {
    const next = Object.entries({ ...query, ...changes }).filter(([, value]) => value);
    void navigate({ to: ".", search: () => Object.fromEntries(next), replace } as never);
  };
  return [query, change];
}
