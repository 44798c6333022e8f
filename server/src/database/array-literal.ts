/**
 * A column of values as one Postgres array literal, to be cast in the statement: `${column(ids)}::text::uuid[]`.
 * One text parameter per column is what the driver sends and the server parses fastest.
 *
 * The escaping is exact for every string that can be a Postgres text: a NUL cannot, and is refused.
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
    if (cell.includes("\0")) throw new RangeError("A Postgres text cannot hold a NUL character");
    return mustBeEscaped.test(cell) ? `"${cell.replace(toEscape, "\\$&")}"` : `"${cell}"`;
  }
  if (typeof cell === "number") return String(cell);
  if (typeof cell === "boolean") return cell ? "t" : "f";
  return `"\\\\x${cell.toString("hex")}"`;
}
