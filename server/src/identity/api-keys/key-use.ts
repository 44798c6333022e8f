import type { ApiKeyId } from "../../core/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { type KeyUse, writeLastUses } from "./api-key.sql.ts";

/**
 * Collects the time of the last use of each key and writes it once a minute. This is precise enough for people who
 * manage keys.
 */
export type KeyUses = {
  note(use: KeyUse): void;
  start(background: Background): Loop;
  /** Writes the uses noted since the last flush. */
  flush(): Promise<void>;
};

const everyMs = 60_000;

export function createKeyUses(database: Database): KeyUses {
  let noted = new Map<ApiKeyId, KeyUse>();

  async function flush(): Promise<void> {
    const uses = [...noted.values()];
    noted = new Map();
    if (uses.length > 0) await database.autocommit((tx) => writeLastUses(tx, uses));
  }

  return {
    note: (use) => void noted.set(use.id, use),
    flush,
    start: (background) =>
      startLoop({ name: "key uses", everyMs, background, work: () => flush().then(() => false) }),
  };
}
