/** Quotes a path for a POSIX shell. Returns a path without special characters unchanged. */
export function quoteForShell(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
