import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { ListOf, Query } from "./api.ts";
import type { ApiProblem } from "./problem.ts";
import { useApi } from "./use-api.ts";
import { reading } from "./use-object.ts";
import { useUrlQuery } from "./use-url-query.ts";

/** One page of a list. The URL contains the page's cursor, so that people can share the page and return to it. */
export type ListPage<Item> = {
  readonly rows: readonly Item[];
  /** True until the first response has arrived. */
  readonly pending: boolean;
  /** True while the list still shows the rows of the previous page or filter. */
  readonly stale: boolean;
  readonly problem: ApiProblem | null;
  /**
   * The position of the page's first row in the whole list, counted from 1. Null if the page's URL does not contain it.
   */
  readonly position: number | null;
  /** Opens the next page of the list. Null on the last page. `previous` correspondingly opens the previous page. */
  readonly next: (() => void) | null;
  readonly previous: (() => void) | null;
};

type Options = {
  /** The number of rows per page. */
  readonly size?: number;
  /** The refresh interval, for lists that change while they are viewed. */
  readonly everyMs?: number;
};

export function useList<Item extends { readonly id: string }>(
  path: string,
  query: Query = {},
  { size = 25, everyMs }: Options = {},
): ListPage<Item> {
  const api = useApi();
  const [address, change] = useUrlQuery();
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
  return usePageOfList({ data, isPending, isPlaceholderData, error, address, change, size });
}

type Read<Item> = {
  readonly data: ListOf<Item> | undefined;
  readonly isPending: boolean;
  readonly isPlaceholderData: boolean;
  readonly error: ApiProblem | null;
  readonly address: Readonly<Record<string, string | undefined>>;
  /** The number of rows per page. */
  readonly size: number;
  readonly change: (query: Readonly<Record<string, string | undefined>>) => void;
};

/**
 * Returns one page of a list from the response and the cursors in the URL. While the next page loads, the result still
 * contains the rows, the position and the neighboring pages of the current page.
 */
export function usePageOfList<Item extends { readonly id: string }>(
  read: Read<Item>,
): ListPage<Item> {
  const { data, isPending, isPlaceholderData, error, address, change, size } = read;
  const shownAddress = useRef(address);
  useEffect(() => {
    if (!isPlaceholderData) shownAddress.current = address;
  }, [isPlaceholderData, address]);
  const { after, before, row } = isPlaceholderData ? shownAddress.current : address;
  const rows = data?.data ?? [];
  const first = rows[0];
  const last = rows.at(-1);
  // With `before` in the URL, the person came back from the next page, so a next page exists. `has_more` then states
  // whether a previous page exists.
  const later = before ? true : (data?.has_more ?? false);
  const earlier = before ? (data?.has_more ?? false) : after !== undefined;
  const isFirst = after === undefined && before === undefined;
  const position = isFirst ? 1 : Number(row) || null;
  const moved = (by: number) =>
    position === null ? undefined : String(Math.max(1, position + by));
  return {
    rows,
    pending: isPending,
    stale: isPlaceholderData,
    problem: error,
    position,
    next:
      later && last
        ? () => change({ after: last.id, before: undefined, row: moved(rows.length) })
        : null,
    previous: earlier
      ? () => change(first ? { before: first.id, after: undefined, row: moved(-size) } : noCursor)
      : null,
  };
}

export const noCursor = { after: undefined, before: undefined, row: undefined };
