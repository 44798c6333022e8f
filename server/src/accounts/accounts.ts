import assert from "node:assert/strict";
import type { Database } from "../database/database.ts";
import { briefly, withinASecondMs } from "../primitives/briefly.ts";
import type { AccountId } from "../primitives/ids.ts";
import { readAccount } from "./account.sql.ts";
import type { Account } from "./account.ts";

/** Returns accounts from a TTL cache, because every charge reads its merchant's fees. */
export type Accounts = { get(id: AccountId): Promise<Account> };

export function openAccounts(database: Database): Accounts {
  return {
    // A changed fee or status takes effect on all servers within the TTL.
    get: briefly(withinASecondMs, async (id) => {
      const account = await readAccount(database.read, id);
      assert(account, `${id} has data and no account`);
      return account;
    }),
  };
}
