import type { Connection, Query, RequestOptions } from "./connection.ts";

/** One page, as the API returns it. */
export type Page<Item> = { object: "list"; url: string; has_more: boolean; data: Item[] };

/**
 * Awaiting a list returns its first page. Iterating over it returns every item and fetches each further page on demand:
 *
 *     for await (const charge of florin.charges.list({ status: "failed" })) …
 */
export type List<Item> = Promise<Page<Item>> & AsyncIterable<Item>;

export function listOf<Item extends { id: string }>(
  connection: Connection,
  path: string,
  query: Query = {},
  options?: RequestOptions,
): List<Item> {
  const fetchPage = (cursor: Query) =>
    connection.get<Page<Item>>(path, { ...query, ...cursor }, options);
  const first = fetchPage({});
  // Prevents an unhandled rejection if the request fails before the list is read. Node ends the process on an unhandled
  // rejection. Awaiting or iterating the list still throws the error.
  first.catch(() => {});

  async function* everyItem(): AsyncGenerator<Item> {
    let page = await first;
    // With `ending_before`, the list continues with newer items.
    const backwards = query.ending_before !== undefined;
    for (;;) {
      yield* backwards ? page.data.toReversed() : page.data;
      const edge = backwards ? page.data[0] : page.data.at(-1);
      if (!page.has_more || edge === undefined) return;
      page = await fetchPage(backwards ? { ending_before: edge.id } : { starting_after: edge.id });
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: everyItem });
}
