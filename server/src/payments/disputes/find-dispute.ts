import { noSuch } from "../../core/api-error.ts";
import { parseId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { withArchiveNote } from "../charges/archived-charge.ts";
import { readDispute } from "./dispute.sql.ts";
import type { Dispute } from "./dispute.ts";
import type { DisputeDeps } from "./record-dispute.ts";

/** Returns the dispute. Throws 404 for an unknown ID. */
export async function findDispute(
  { database }: DisputeDeps,
  scope: Scope,
  text: string,
): Promise<Dispute> {
  const id = parseId("dp", text);
  const dispute = id && (await readDispute(database.read, scope, id));
  if (!dispute) {
    const missing = noSuch("dispute", text);
    throw id ? await withArchiveNote(database.read, scope, id, missing) : missing;
  }
  return dispute;
}
