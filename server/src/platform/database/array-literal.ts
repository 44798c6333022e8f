/**
 * Builds one Postgres array literal from a column of values, to be cast in the statement:
 * `${column(ids)}::text::uuid[]`. One text parameter per column is the fastest form for the driver to send and for the
 * server to parse.
 *
 * The escaping is exact for every string that Postgres can store as text. A string with a NUL is rejected.
 */
export type Cell = string | number | boolean | Buffer | null | undefined;

export function column<Item>(items: readonly Item[], cell: (item: Item) => Cell): string {
  let literal = "{";
  for (let index = 0; index < items.length; index++) {
    if (index > 0) literal += ",";
    literal += element(cell(items[index] as Item));
  }
  return `${literal}}`;
}

const mustBeEscaped = /["\\]/;
const toEscape = /["\\]/g;

function element(cell: Cell): string {
  if (cell === null || cell === undefined) return "NULL";
  if (typeof cell === "string") {
    if (cell.includes("\0"))
      throw new RangeError("A text value of Postgres cannot contain a NUL character.");
    return mustBeEscaped.test(cell) ? `"${cell.replace(toEscape, "\\$&")}"` : `"${cell}"`;
  }
  if (typeof cell === "number") return String(cell);
  if (typeof cell === "boolean") return cell ? "t" : "f";
  return `"\\\\x${cell.toString("hex")}"`;
}
