import type { Connection, Query, RequestOptions } from "./connection.ts";

/** One page, as the wire has it. */
export type Page<Item> = { object: "list"; url: string; has_more: boolean; data: Item[] };

/**
 * Awaited, a list is its first page; iterated, it is every item, and each further page is fetched when it is reached:
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
  // A list may be asked for long before it is read: Node ends a process for a failure that nobody awaits yet. Whoever
  // awaits or iterates it is told all the same.
  first.catch(() => {});

  async function* everyItem(): AsyncGenerator<Item> {
    let page = await first;
    // A list asked for with `ending_before` grows towards newer items, and its pages come in that direction.
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
