import Type from "typebox";
import { type Id, uuidOf } from "../../core/ids.ts";
import { csvLine } from "./csv.ts";
import type { Page } from "./list.ts";
import type { ApiResponse } from "./route.ts";

/** A line of a download, and the UUID of its object. */
export type DownloadLine = { readonly uuid: string; readonly text: string };

/** The number of objects that a download reads from the database at a time. Requests are handled between two reads. */
const lineBatchSize = 1_000;

/** Returns the schema of a download with this header line. */
export function csvOf(objects: string, head: string) {
  return Type.String({
    description: `CSV with a header line and one line for each ${objects}, newest first.`,
    examples: [head],
  });
}

/** The header line of a download, and the line of a stored object. */
export type DownloadTable<Stored> = {
  readonly head: string;
  readonly line: (stored: Stored) => DownloadLine;
};

/** Returns the table with these columns of the API's objects. `objectOf` returns the API's object of a stored one. */
export function downloadTable<Stored extends { readonly id: Id<string> }, Shown>(
  objectOf: (stored: Stored) => Shown,
  columns: Readonly<Record<string, (shown: Shown) => string>>,
): DownloadTable<Stored> {
  const cells = Object.values(columns);
  return {
    head: csvLine(Object.keys(columns)),
    line(stored) {
      const shown = objectOf(stored);
      return { uuid: uuidOf(stored.id), text: csvLine(cells.map((cell) => cell(shown))) };
    },
  };
}

/** Returns the download of everything within the page's bounds. `read` returns the lines of one page. */
export async function csvDownload(
  head: string,
  page: Page,
  read: (page: Page) => Promise<readonly DownloadLine[]>,
): Promise<ApiResponse> {
  const stream = pages(page, read);
  // Reads the first page before the response starts, so that a failure can still return an error status.
  const first = await stream.next();
  const body = head + (first.done ? "" : first.value);
  return { status: 200, body, stream, contentType: "text/csv; charset=utf-8" };
}

/**
 * Yields the lines of one page at a time. Reads the next page after the client has consumed the previous one, so that at
 * most one page is in memory.
 */
async function* pages(
  first: Page,
  read: (page: Page) => Promise<readonly DownloadLine[]>,
): AsyncGenerator<string> {
  const limit = lineBatchSize;
  for (let page = { ...first, limit }; ; ) {
    const found = await read(page);
    const lines = found.slice(0, limit);
    yield lines.map(({ text }) => text).join("");
    const last = lines.at(-1);
    if (!last || found.length <= limit) return;
    page = { ...page, below: last.uuid };
  }
}
