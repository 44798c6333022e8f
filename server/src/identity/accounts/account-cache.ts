import assert from "node:assert/strict";
import type { AccountId } from "../../core/ids.ts";
import { oneSecondCacheMs, ttlCache } from "../../core/ttl-cache.ts";
import type { Database } from "../../platform/database/database.ts";
import { readAccount } from "./account.sql.ts";
import type { Account } from "./account.ts";

/** Returns accounts from a TTL cache, because every charge reads its merchant's fees. */
export type Accounts = { get(id: AccountId): Promise<Account> };

export function createAccountCache(database: Database): Accounts {
  return {
    // The TTL is the maximum time until a changed fee or status takes effect on all servers.
    get: ttlCache(oneSecondCacheMs, async (id) => {
      const account = await readAccount(database.read, id);
      assert(account, `${id} has data but no account`);
      return account;
    }),
  };
}
