/**
 * Returns the known name closest to a misspelled one. The distance is at most two edits and less than half the length
 * of the word. A name without its ending `_id` is also recognized, because other APIs name parameters without `_id`,
 * such as `charge` and `payment_method`. A name in camel case, such as `clientReferenceId` or `paymentMethod`, is
 * recognized too.
 */
export function nearestName(name: string, known: readonly string[]): string | null {
  const snakeCase = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const complete = known.find((word) => word === snakeCase || word === `${snakeCase}_id`);
  if (complete !== undefined) return complete;
  let nearest: string | null = null;
  let fewest = 3;
  for (const candidate of known) {
    const edits = editDistance(name, candidate, fewest);
    if (edits < fewest && edits * 2 < candidate.length) {
      nearest = candidate;
      fewest = edits;
    }
  }
  return nearest;
}

/**
 * Returns the number of insertions, deletions, replacements and swaps of adjacent letters that turn one word into the
 * other, or `limit` if the number is higher.
 */
function editDistance(left: string, right: string, limit: number): number {
  // Names come from requests and can be long, so words whose lengths differ by `limit` or more are not compared.
  if (Math.abs(left.length - right.length) >= limit) return limit;
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      let edits = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
      );
      if (left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]) {
        edits = Math.min(edits, at(beforeLast, column - 2) + 1);
      }
      current.push(edits);
    }
    beforeLast = last;
    last = current;
  }
  return Math.min(at(last, right.length), limit);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
