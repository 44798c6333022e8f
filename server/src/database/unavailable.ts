/**
 * True when the statement failed because Postgres was away (restarting, stopping, unreachable), and not
 * because of what it said. Whether it took effect is then unknown.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === "string") return unavailableCodes.has(code) || code.startsWith("08");
  return lostConnection.test(error.message);
}

/**
 * True when Postgres undid the transaction so that others, which waited for it as it did for them, could go on. Nothing
 * of it took effect, and when it is run again the others are through.
 */
export function isDeadlock(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === "40P01";
}

/**
 * SQLSTATE class 57P (operator intervention), 53 (no room: on the disk, in memory, for another connection), and what
 * sockets say.
 */
const unavailableCodes = new Set([
  "53100",
  "53200",
  "57P01",
  "57P02",
  "57P03",
  "53300",
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
]);

/** The driver's own words, which carry no code. */
const lostConnection =
  /^(Connection terminated|Client has encountered a connection error|timeout expired|timeout exceeded when trying to connect|Client was closed)/;
