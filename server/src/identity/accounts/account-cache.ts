import assert from "node:assert/strict";
import type { AccountId } from "../../core/ids.ts";
import { cacheUntilChanged } from "../../platform/changes/cache-until-changed.ts";
import type { CacheValidity } from "../../platform/changes/change-feed.ts";
import { batchReads } from "../../platform/database/batch-reads.ts";
import type { Database } from "../../platform/database/database.ts";
import { readAccounts } from "./account.sql.ts";
import type { Account } from "./account.ts";

/** Returns accounts from a cache, because every charge reads its merchant's fees. */
export type Accounts = { get(id: AccountId): Promise<Account> };

export function createAccountCache(database: Database, changes: CacheValidity): Accounts {
  const cache = cacheUntilChanged<Account>(changes, {
    read: batchReads((ids) => readAccounts(database.read, ids as readonly AccountId[])),
    accountOf: ({ id }) => id,
  });

  function existing(id: AccountId, account: Account | null): Account {
    assert(account, `${id} has data but no account`);
    return account;
  }

  return {
    // Not an async function, because it would allocate another promise for each charge.
    get(id) {
      const known = cache.peek(id);
      return known ? Promise.resolve(known) : cache.get(id).then((read) => existing(id, read));
    },
  };
}
