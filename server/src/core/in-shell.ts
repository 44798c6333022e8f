/** Quotes a path for a POSIX shell. A path without special characters stays as it is. */
export function inShell(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
