import { createHash } from "node:crypto";
import type { ConnectionId } from "../../core/ids.ts";

/**
 * Returns a UUID (RFC 9562, version 8) for a dispute. It is derived from the acquirer's identifier of the dispute,
 * which is unique only within a connection.
 */
export function caseIdOf(connection: ConnectionId, reference: string): string {
  const bytes = createHash("sha256").update(`${connection} ${reference}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Returns the UUID of the second chargeback of a dispute, which Florin records as a dispute of its own. */
export function secondCaseIdOf(connection: ConnectionId, reference: string): string {
  return caseIdOf(connection, `${reference} second_chargeback`);
}
