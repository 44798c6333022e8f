import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { deleteLinksFor, insertLink } from "./link.sql.ts";
import { linkTtlMs } from "./link.ts";
import { operatorExists } from "./person.sql.ts";
import { hashSecretText, newSecretText } from "./secret-text.ts";

/**
 * Creates the link for setting up the first operator, and revokes the link that an earlier start printed. Returns the
 * token, or null if an operator exists.
 */
export async function prepareOperatorSetup(deps: {
  database: Database;
  clock: Clock;
}): Promise<string | null> {
  const purpose = "set_up_operator";
  return deps.database.transaction(async (tx) => {
    if (await operatorExists(tx)) return null;
    await deleteLinksFor(tx, purpose);
    const token = newSecretText();
    const expiresAt = new Date(deps.clock.now().getTime() + linkTtlMs[purpose]);
    await insertLink(tx, hashSecretText(token), { purpose, expiresAt });
    return token;
  });
}
