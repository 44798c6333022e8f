/**
 * Returns whether a statement failed because Postgres was unavailable (restarting, stopping, unreachable) rather than
 * because of the statement. It is then unknown whether the statement took effect.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === "string") return unavailableCodes.has(code) || code.startsWith("08");
  return lostConnection.test(error.message);
}

/**
 * Returns whether Postgres aborted the transaction to resolve a deadlock. The transaction had no effect and can be
 * retried.
 */
export function isDeadlock(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === "40P01";
}

/**
 * SQLSTATE classes 57P (operator intervention) and 53 (insufficient resources: disk, memory or connections), 25006 (the
 * former primary is a standby now), and errors of sockets and of name resolution.
 */
const unavailableCodes = new Set([
  "25006",
  "53100",
  "53200",
  "53300",
  "57P01",
  "57P02",
  "57P03",
  "57P05",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);

/** Messages of driver errors that have no code. */
const lostConnection =
  /^(Connection terminated|Client has encountered a connection error|timeout expired|timeout exceeded when trying to connect|Client was closed)/;
