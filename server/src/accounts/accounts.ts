import assert from "node:assert/strict";
import type { Database } from "../database/database.ts";
import { briefly, withinASecondMs } from "../primitives/briefly.ts";
import type { AccountId } from "../primitives/ids.ts";
import { readAccount } from "./account.sql.ts";
import type { Account } from "./account.ts";

/** Accounts from memory: every charge asks for its merchant's price. */
export type Accounts = { get(id: AccountId): Promise<Account> };

export function openAccounts(database: Database): Accounts {
  return {
    // A changed price or status is known everywhere in time.
    get: briefly(withinASecondMs, async (id) => {
      const account = await readAccount(database.read, id);
      assert(account, `${id} has data and no account`);
      return account;
    }),
  };
}
