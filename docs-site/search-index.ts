import MiniSearch from "minisearch";

/** An entry of `search.json`, as `server/src/app/docs/docs-index.ts` writes it. */
export type Entry = {
  readonly id: number;
  readonly url: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
};

const maxResults = 20;

/** Returns the index of the entries. A result contains every word of the query, and a word can be a prefix. */
export function searchIndexOf(entries: readonly Entry[]): MiniSearch<Entry> {
  const index = new MiniSearch<Entry>({
    fields: ["title", "page", "text"],
    storeFields: ["url", "page", "title", "text"],
    searchOptions: {
      boost: { title: 4, page: 2 },
      // Pages for merchants come before pages for operators, because most readers integrate payments.
      boostDocument: (_id, _term, entry) =>
        String(entry?.url).startsWith("/docs/operating/") ? 0.5 : 1,
      prefix: true,
      fuzzy: 0.15,
      combineWith: "AND",
    },
  });
  index.addAll(entries);
  return index;
}

/** Returns the best entries. A section whose ID is the query, such as `charges.create` or an error code, is first. */
export function resultsOf(index: MiniSearch<Entry>, query: string): Entry[] {
  const found = index.search(query) as unknown as Entry[];
  const isNamed = ({ url }: Entry) =>
    url.endsWith(`#${query}`) || url.endsWith(`-${query}`) || url.endsWith(`/${query}`);
  return [...found.filter(isNamed), ...found.filter((entry) => !isNamed(entry))].slice(
    0,
    maxResults,
  );
}
