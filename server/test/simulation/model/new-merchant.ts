import { systemClock } from "../../../src/core/clock.ts";
import { type AccountId, newId } from "../../../src/core/ids.ts";
import { insertAccount } from "../../../src/identity/accounts/account.sql.ts";
import { newAccount } from "../../../src/identity/accounts/account.ts";
import { type HashKey, issueApiKey } from "../../../src/identity/api-keys/issue-api-key.ts";
import type { SecretKey } from "../../../src/identity/api-keys/key-text.ts";
import type { Database } from "../../../src/platform/database/database.ts";
import { retryWhileUnavailable } from "../retry-while-unavailable.ts";

/** Creates a merchant directly in the database, because its server may be down. */
export function newMerchant(
  database: Database,
  hashKey: HashKey,
): Promise<{ account: AccountId; key: SecretKey }> {
  const clock = systemClock;
  return retryWhileUnavailable(() => {
    const account = newId("acct", clock.now());
    return database.transaction(async (tx) => {
      await insertAccount(tx, { ...newAccount, id: account, name: "Fieldware", country: "US" });
      const scope = { account, livemode: false };
      const { secret } = await issueApiKey({ clock, hashKey }, tx, scope, "A key");
      return { account, key: secret };
    });
  });
}
