import assert from "node:assert/strict";
import type { Database } from "../database/database.ts";
import { briefly } from "../primitives/briefly.ts";
import type { AccountId } from "../primitives/ids.ts";
import { readAccount } from "./account.sql.ts";
import type { Account } from "./account.ts";

/** Accounts from memory: every charge asks for its merchant's price. */
export type Accounts = { get(id: AccountId): Promise<Account> };

/** A changed price or status is known everywhere within a second, of which a slow reading may take the rest. */
const memoryMs = 750;

export function openAccounts(database: Database): Accounts {
  return {
    get: briefly(memoryMs, async (id) => {
      const account = await readAccount(database.read, id);
      assert(account, `${id} has data and no account`);
      return account;
    }),
  };
}
