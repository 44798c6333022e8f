import Type from "typebox";
import { type Id, uuidOf } from "../../core/ids.ts";
import { csvLine } from "./csv.ts";
import type { Page } from "./list.ts";
import type { ApiResponse } from "./route.ts";

/** The lines of one page of a download. `last` is the UUID of its last object, or null if no object follows it. */
export type DownloadPage = {
  readonly lines: string | Uint8Array;
  /** The number of lines. */
  readonly count: number;
  readonly last: string | null;
};

/**
 * The maximum number of objects that a download reads from the database at a time. Requests are handled between two
 * reads.
 */
const lineBatchSize = 2_000;

/** The number of objects of the first page. The size of their lines is not known: metadata alone can take 60 KB. */
const firstBatchSize = 50;

/**
 * The size at which a page ends, because a page is in memory until the client has read it. The number of objects that
 * are read for a page is adjusted to the size of the last page.
 */
export const maxPageBytes = 640 * 1024;

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
      const lines: string[] = [];
      let size = 0;
      let last: Stored | undefined;
      for (const one of found.slice(0, limit)) {
        const shown = objectOf(one);
        const line = csvLine(cells.map((cell) => cell(shown)));
        lines.push(line);
        size += line.length;
        last = one;
        if (size >= maxPageBytes) break;
      }
      const isWhole = lines.length === found.length;
      return {
        lines: lines.join(""),
        count: lines.length,
        last: last && !isWhole ? uuidOf(last.id) : null,
      };
    },
  };
}

/** Returns the download of all objects within the bounds of `page`. `read` returns the lines of one page. */
export async function csvDownload(
  head: string,
  page: Page,
  read: (page: Page) => Promise<DownloadPage>,
): Promise<ApiResponse> {
  const first = { ...page, limit: firstBatchSize };
  // Reads the first page before the response starts, so that a failure can still return an error status.
  const stream = pages(await read(first), first, read);
  return { status: 200, body: head, stream, contentType: "text/csv; charset=utf-8" };
}

/** Yields the lines of one page at a time. At most two pages are in memory: the client reads one, and the next waits. */
async function* pages(
  first: DownloadPage,
  page: Page,
  read: (page: Page) => Promise<DownloadPage>,
): AsyncGenerator<string | Uint8Array> {
  let limit = page.limit;
  for (let found = first; ; ) {
    yield found.lines;
    if (found.last === null) return;
    limit = nextLimit(limit, found);
    found = await read({ ...page, limit, below: found.last });
  }
}

/** Returns the number of objects that fit into a page if their lines are as long as those of the last page. */
function nextLimit(limit: number, { lines, count }: DownloadPage): number {
  const fitting = Math.floor((count * maxPageBytes) / Math.max(lines.length, 1));
  return Math.min(Math.max(fitting, 1), limit * 4, lineBatchSize);
}
