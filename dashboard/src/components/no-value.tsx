/** Stands for a value that an object does not have. */
export function NoValue() {
  return <span className="text-ink-faint">—</span>;
}
