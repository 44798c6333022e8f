/**
 * Handles the error of a file operation. Returns null if the file or directory does not exist, and throws every other
 * error.
 */
export function unlessMissing(error: NodeJS.ErrnoException): null {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
  return null;
}
