/*
 * Paths of parameters as the merchant would write them: `line_items[0].amount`, `metadata.order`. They name the
 * parameter at fault in `error.param`.
 */

/** Returns the path of an object's member. */
export function memberPath(outer: string, name: string): string {
  return outer === "" ? shownName(name) : `${outer}.${shownName(name)}`;
}

/** Returns the path of an array's element. */
export function elementPath(outer: string, index: number): string {
  return `${outer}[${index}]`;
}

/** Returns a name from a request, shortened and without characters that could break a line or a quotation. */
export function shownName(name: string): string {
  // Shows an empty name as two quotation marks, because it would be invisible in the message.
  if (name === "") return '""';
  // Truncates before the replacement, because a name can be as long as the body.
  const printable = name.slice(0, 2 * maxShown).replace(/[\p{C}`]/gu, "�");
  return name.length > maxShown ? `${printable.slice(0, maxShown).toWellFormed()}…` : printable;
}

const maxShown = 60;
