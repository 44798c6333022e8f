import Type from "typebox";
import { type Id, uuidOf } from "../../core/ids.ts";
import { csvLine } from "./csv.ts";
import type { Page } from "./list.ts";
import type { ApiResponse } from "./route.ts";

/** The lines of one page of a download. `last` is the UUID of its last object, or null if no object follows it. */
export type DownloadPage = { readonly lines: string | Uint8Array; readonly last: string | null };

/** The number of objects that a download reads from the database at a time. Requests are handled between two reads. */
const lineBatchSize = 2_000;

/** Returns the schema of a download with this header line. */
export function csvOf(objects: string, head: string) {
  return Type.String({
    description: `A CSV file with a header line and one line for each ${objects}, newest first.`,
    examples: [head],
  });
}

/**
 * The header line of a download, and a function that returns a page of it. The function gets the stored objects of the
 * page, and one more if another page follows.
 */
export type DownloadTable<Stored> = {
  readonly head: string;
  readonly pageOf: (stored: readonly Stored[], page: Page) => DownloadPage;
};

/**
 * Returns a table with these columns. `objectOf` converts a stored object to the API's object, from which the columns
 * are read.
 */
export function downloadTable<Stored extends { readonly id: Id<string> }, Shown>(
  objectOf: (stored: Stored) => Shown,
  columns: Readonly<Record<string, (shown: Shown) => string>>,
): DownloadTable<Stored> {
  const cells = Object.values(columns);
  return {
    head: csvLine(Object.keys(columns)),
    pageOf(found, { limit }) {
      const stored = found.slice(0, limit);
      const lines = stored.map((one) => {
        const shown = objectOf(one);
        return csvLine(cells.map((cell) => cell(shown)));
      });
      const last = found.length > limit ? stored.at(-1) : undefined;
      return { lines: lines.join(""), last: last ? uuidOf(last.id) : null };
    },
  };
}

/** Returns the download of everything within the page's bounds. `read` returns the lines of one page. */
export async function csvDownload(
  head: string,
  page: Page,
  read: (page: Page) => Promise<DownloadPage>,
): Promise<ApiResponse> {
  const first = { ...page, limit: lineBatchSize };
  // Reads the first page before the response starts, so that a failure can still return an error status.
  const stream = pages(await read(first), first, read);
  return { status: 200, body: head, stream, contentType: "text/csv; charset=utf-8" };
}

/**
 * Yields the lines of one page at a time. Reads the next page after the client has consumed the previous one, so that
 * at most one page is in memory.
 */
async function* pages(
  first: DownloadPage,
  page: Page,
  read: (page: Page) => Promise<DownloadPage>,
): AsyncGenerator<string | Uint8Array> {
  for (let found = first; ; ) {
    yield found.lines;
    if (found.last === null) return;
    found = await read({ ...page, below: found.last });
  }
}
