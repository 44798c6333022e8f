import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ListOf, Query } from "./api.ts";
import { useApi } from "./here.ts";
import type { ApiProblem } from "./problem.ts";
import { useAddressQuery } from "./use-address-query.ts";
import { reading } from "./use-object.ts";

/** A page of a list. Which page it is stands in the address, so that it can be shared and gone back to. */
export type ListPage<Item> = {
  readonly rows: readonly Item[];
  /** False once there is something to show, be it an empty list. */
  readonly pending: boolean;
  /** Rows of another page or filter stand there while the new ones are read. */
  readonly stale: boolean;
  readonly problem: ApiProblem | null;
  /** Null where there is no such page. */
  readonly next: (() => void) | null;
  readonly previous: (() => void) | null;
};

type Options = {
  /** How many rows a page has. */
  readonly size?: number;
  /** Read again so often, for what is expected to change while one looks at it. */
  readonly everyMs?: number;
};

export function useList<Item extends { readonly id: string }>(
  path: string,
  query: Query = {},
  { size = 25, everyMs }: Options = {},
): ListPage<Item> {
  const api = useApi();
  const [address, change] = useAddressQuery();
  const { after, before } = address;
  const paged: Query = {
    limit: size,
    ...query,
    ...(after && { starting_after: after }),
    ...(before && { ending_before: before }),
  };
  const { data, isPending, isPlaceholderData, error } = useQuery({
    ...reading<ListOf<Item>>(api, path, paged),
    placeholderData: keepPreviousData,
    ...(everyMs && { refetchInterval: everyMs }),
  });
  return pageOfList({ data, isPending, isPlaceholderData, error, address, change });
}

type Read<Item> = {
  readonly data: ListOf<Item> | undefined;
  readonly isPending: boolean;
  readonly isPlaceholderData: boolean;
  readonly error: ApiProblem | null;
  readonly address: Readonly<Record<string, string | undefined>>;
  readonly change: (query: Readonly<Record<string, string | undefined>>) => void;
};

/** Returns the page of a list for a table, from the response and the cursors in the URL. */
export function pageOfList<Item extends { readonly id: string }>(read: Read<Item>): ListPage<Item> {
  const { data, isPending, isPlaceholderData, error, address, change } = read;
  const { after, before } = address;
  const rows = data?.data ?? [];
  const first = rows[0];
  const last = rows.at(-1);
  // Going back from a page there is always the one we came from; going back further, `has_more` says.
  const later = before ? true : (data?.has_more ?? false);
  const earlier = before ? (data?.has_more ?? false) : after !== undefined;
  return {
    rows,
    pending: isPending,
    stale: isPlaceholderData,
    problem: error,
    next: later && last ? () => change({ after: last.id, before: undefined }) : null,
    previous: earlier
      ? () => change(first ? { before: first.id, after: undefined } : noCursor)
      : null,
  };
}

export const noCursor = { after: undefined, before: undefined };
